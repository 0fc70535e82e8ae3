import type { Clock } from '@halyard/contracts';

/** A clock that stands still until a test advances it. */
export interface FixedClock extends Clock {
  advance(ms: number): void;
  /** Changes the time of day, as somebody does who sets the clock of a computer. No time passes. */
  jump(ms: number): void;
}

/** @param start milliseconds since the epoch; default 2026-01-01T00:00:00Z. */
export function fixedClock(start: number = Date.UTC(2026, 0, 1)): FixedClock {
  let time = start;
  let passedMs = 0;
  return {
    now: () => time,
    monotonicNow: () => passedMs,
    advance: (ms) => {
      time += ms;
      passedMs += ms;
    },
    jump: (ms) => {
      time += ms;
    },
  };
}
