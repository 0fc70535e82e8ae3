import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './state-mark.module.css';

/**
 * The states of executions, traces and calls, and how they look: each has a shape of its own, so
 * that colour alone says nothing.
 */
const looks = {
  running: { tone: 'running', shape: 'ring' },
  suspended: { tone: 'waiting', shape: 'half' },
  waiting: { tone: 'waiting', shape: 'half' },
  completed: { tone: 'good', shape: 'disc' },
  ok: { tone: 'good', shape: 'disc' },
  success: { tone: 'good', shape: 'disc' },
  error: { tone: 'bad', shape: 'cross' },
  quarantined: { tone: 'odd', shape: 'square' },
  cancelled: { tone: 'muted', shape: 'dash' },
  aborted: { tone: 'muted', shape: 'dash' },
  refused: { tone: 'muted', shape: 'square' },
  skipped: { tone: 'muted', shape: 'dash' },
  idle: { tone: 'muted', shape: 'circle' },
} as const;

const shapes = {
  ring: <circle cx="6" cy="6" r="3.75" fill="none" strokeWidth="2.5" stroke="currentColor" strokeDasharray="16 7.5" />,
  half: (
    <>
      <circle cx="6" cy="6" r="4.25" fill="none" strokeWidth="1.5" stroke="currentColor" />
      <path d="M6 1.75a4.25 4.25 0 0 1 0 8.5z" fill="currentColor" />
    </>
  ),
  circle: <circle cx="6" cy="6" r="4" fill="none" strokeWidth="1.5" stroke="currentColor" />,
  disc: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  cross: <path d="m2.5 2.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />,
  square: <rect x="2" y="2" width="8" height="8" rx="1" fill="currentColor" />,
  dash: <path d="M2 6h8" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />,
};

/**
 * A state as mark and word; `isShort`: the mark only, with the word as its label; `word`: another
 * word than the state's own.
 */
export function StateMark({
  state,
  isShort = false,
  word = state,
}: {
  readonly state: string;
  readonly isShort?: boolean;
  readonly word?: string;
}): ReactNode {
  const { shape, tone } = looks[state as keyof typeof looks] ?? looks.idle;
  return (
    <span className={classes(styles.mark, styles[tone], shape === 'ring' && styles.turning)}>
      <svg
        width="12"
        height="12"
        viewBox="0 0 12 12"
        {...(isShort ? { role: 'img', 'aria-label': word } : { 'aria-hidden': true })}
      >
        {shapes[shape]}
      </svg>
      {!isShort && word}
    </span>
  );
}
