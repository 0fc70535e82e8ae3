import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './sparkline.module.css';

const width = 96;
const height = 24;

/**
 * The course of a number, as decoration beside it: a bar for each value. `isBad`: of a number that
 * should be small.
 */
export function Sparkline({
  values,
  isBad = false,
}: {
  readonly values: readonly (number | null)[];
  readonly isBad?: boolean;
}): ReactNode {
  const most = values.reduce<number>((max, value) => Math.max(max, value ?? 0), 0);
  const step = width / Math.max(values.length, 1);
  const bars = values.map((value, index) => {
    const tall = value === null || value <= 0 || most === 0 ? 0 : Math.max((value / most) * height, 1);
    return tall === 0
      ? ''
      : `M${(index * step).toFixed(2)} ${height}v${(-tall).toFixed(2)}h${(step * 0.78).toFixed(2)}V${height}z`;
  });
  return (
    <svg
      className={classes(styles.sparkline, isBad && styles.bad)}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={`M0 ${height - 0.25}H${width}`} className={styles.base} />
      <path d={bars.join('')} />
    </svg>
  );
}
