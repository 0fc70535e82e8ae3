import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './code-block.module.css';

/** Text to copy: code, JSON, a command. */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }): ReactNode {
  return (
    <figure className={styles.block}>
      <pre tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} className={styles.copy} />
    </figure>
  );
}
