import { Dialog as Base } from '@base-ui/react/dialog';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icons.tsx';
import { findEntries } from './find-entries.ts';
import { useEntries } from './use-entries.ts';
import dialogStyles from '../../ui/dialog.module.css';
import styles from './palette.module.css';

interface PaletteProps {
  readonly onClose: () => void;
  /** Shows the list of keys. */
  readonly onKeys: () => void;
}

/** Opens pages, agents, conversations and ids, and does things, by a few letters. */
export function Palette({ isOpen, ...props }: PaletteProps & { readonly isOpen: boolean }): ReactNode {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className={dialogStyles.backdrop} />
        <Base.Popup className={styles.palette} aria-label="Go to anything">
          <Search {...props} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Search({ onClose, onKeys }: PaletteProps): ReactNode {
  const id = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const { all, byId } = useEntries(query.trim(), onKeys);
  const entries = [...findEntries(all, query), ...byId];
  const current = entries[Math.min(at, entries.length - 1)];
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);
  const run = (entry: typeof current): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = entries.length - 1;
    if (event.key === 'ArrowDown') setAt(at >= last ? 0 : at + 1);
    else if (event.key === 'ArrowUp') setAt(at <= 0 ? last : Math.min(at, last) - 1);
    else if (event.key === 'Enter') run(current);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <label className={styles.search}>
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${id} ${current.id}`.replaceAll(' ', '-')}
          autoComplete="off"
          spellCheck={false}
          placeholder="A page, an agent, a conversation, an id, an action"
          value={query}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
        />
      </label>
      <ul ref={list} id={id} role="listbox" aria-label="Results" className={styles.results}>
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`${id} ${entry.id}`.replaceAll(' ', '-')}
            role="option"
            aria-selected={entry === current}
            className={classes(styles.entry, entry === current && styles.current)}
            onClick={() => run(entry)}
            onMouseMove={() => setAt(entries.indexOf(entry))}
          >
            <span className={styles.name} dir="auto">
              {entry.name}
            </span>
            {entry.hint !== undefined && <code>{entry.hint}</code>}
            {entry.group !== entries[index - 1]?.group && <span className={styles.group}>{entry.group}</span>}
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className={styles.none}>Nothing is called so.</p>}
    </>
  );
}
