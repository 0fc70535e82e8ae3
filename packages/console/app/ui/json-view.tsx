import { type ReactNode, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './json-view.module.css';

/** More entries than this are shown on demand. */
const shownEntries = 100;
const longText = 400;

/**
 * A value as a tree: objects and arrays fold, long texts too. Everything is rendered as text, never
 * as HTML.
 */
export function JsonView({
  value,
  label,
  depth = 2,
}: {
  readonly value: unknown;
  readonly label: string;
  readonly depth?: number;
}): ReactNode {
  return (
    <div className={styles.view} role="group" aria-label={label}>
      <CopyButton className={styles.copy} text={JSON.stringify(value, null, 2) ?? ''} label={`Copy ${label}`} />
      <Value value={value} depth={depth} />
    </div>
  );
}

function Value({
  value,
  depth,
  name,
}: {
  readonly value: unknown;
  readonly depth: number;
  readonly name?: string;
}): ReactNode {
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={styles.line}>
        <Name name={name} />
        <Scalar value={value} />
      </div>
    );
  }
  return <Folder value={value} depth={depth} name={name} />;
}

function Folder({
  value,
  depth,
  name,
}: {
  readonly value: object;
  readonly depth: number;
  readonly name: string | undefined;
}): ReactNode {
  const [isOpen, setOpen] = useState(depth > 0);
  const [shown, setShown] = useState(shownEntries);
  const entries: [string, unknown][] = Object.entries(value);
  const isArray = Array.isArray(value);
  const summary = isArray
    ? `${entries.length} ${entries.length === 1 ? 'item' : 'items'}`
    : `${entries.length} ${entries.length === 1 ? 'field' : 'fields'}`;
  if (entries.length === 0) {
    return (
      <div className={styles.line}>
        <Name name={name} />
        <span className={styles.soft}>{isArray ? '[ ]' : '{ }'}</span>
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.line}>
        <Name name={name} />
        <span className={styles.soft}>{isOpen && name !== undefined ? '' : summary}</span>
      </summary>
      {isOpen && (
        <div className={styles.children}>
          {entries.slice(0, shown).map(([key, child]) => (
            <Value key={key} name={key} value={child} depth={depth - 1} />
          ))}
          {entries.length > shown && (
            <button type="button" className={styles.more} onClick={() => setShown(shown + 10 * shownEntries)}>
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }): ReactNode {
  return name === undefined ? null : <span className={styles.name}>{name}</span>;
}

function Scalar({ value }: { readonly value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className={styles.scalar}>{String(value)}</span>;
  const isLong = value.length > longText;
  return (
    <span className={styles.text} dir="auto">
      {isLong && !isWhole ? `${value.slice(0, longText)}…` : value}
      {isLong && (
        <button type="button" className={styles.more} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'less' : `all ${value.length.toLocaleString('en')} characters`}
        </button>
      )}
    </span>
  );
}
