import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import styles from './side-panel.module.css';

/**
 * Content, and beside it a `SidePanel` about what is selected in it; on narrow screens below it.
 */
export function Split({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={styles.split}>{children}</div>;
}

/** The details of one thing: they stay in view while the content scrolls. */
export function SidePanel({
  title,
  label,
  closeLabel,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly label: string;
  readonly closeLabel: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <aside className={styles.panel} aria-label={label}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label={closeLabel} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
