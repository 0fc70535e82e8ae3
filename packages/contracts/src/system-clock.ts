import type { Clock } from './ports.ts';

/** The time of this computer. */
export const systemClock: Clock = {
  now: Date.now,
  // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
  monotonicNow: () => performance.now(),
};

/** The monotonic time of a clock, in milliseconds. Only differences have a meaning. */
export function monotonicTime(clock: Clock): number {
  return clock.monotonicNow?.() ?? clock.now();
}
