import { Fragment, type ReactNode } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './palette.module.css';

const keys: Readonly<Record<string, readonly (readonly [key: string, effect: string])[]>> = {
  'On each page': [
    ['Ctrl K', 'go to a page, an agent, a conversation, an id, or do something'],
    ['/', 'search in the list'],
    ['?', 'show these keys'],
    ['Esc', 'close, or stop an answer in the playground'],
  ],
  Approvals: [
    ['j', 'the next request'],
    ['k', 'the one before'],
    ['a', 'approve the call, after 5 seconds'],
    ['d', 'deny the call, after 5 seconds'],
    ['u', 'undo the last of them'],
  ],
  'Story and spans of a trace': [
    ['↑ ↓', 'move'],
    ['Enter', 'open or close a line'],
    ['← →', 'fold and unfold spans'],
    ['j', 'the next trace of the list'],
    ['k', 'the one before'],
  ],
};

/** The keys of the console. */
export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keys">
      {Object.entries(keys).map(([title, rows]) => (
        <section key={title} className={styles.part}>
          <h3>{title}</h3>
          <dl className={styles.keys}>
            {rows.map(([key, effect]) => (
              <Fragment key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{effect}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
