import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and values side by side. A value that is undefined or false is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }): ReactNode {
  return (
    <dl className={styles.facts}>
      {Object.entries(facts).map(([name, value]) =>
        value === undefined || value === false ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
