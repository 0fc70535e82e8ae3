import type { ReactNode } from 'react';
import styles from './progress.module.css';

/** How much of something is done. */
export function Progress({
  label,
  value,
  max,
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
}): ReactNode {
  return (
    <progress className={styles.progress} aria-label={label} value={Math.min(value, max)} max={Math.max(max, 1)} />
  );
}
