import type { StepRun } from './execution-model.ts';

export interface TimeScale {
  /** Where a time is, from 0 to 1. */
  readonly at: (time: number) => number;
  /** Waits that are drawn shorter than they were. */
  readonly folds: readonly { readonly from: number; readonly to: number }[];
  readonly start: number;
  readonly end: number;
}

/** The part of the width that a folded wait gets. */
const foldShare = 0.05;

/**
 * A scale from the start to the end. With `areWaitsFolded`, times in which nothing works are drawn
 * short: a wait of a week would leave no room for the seconds around it.
 */
export function timeScale(
  runs: readonly StepRun[],
  start: number,
  end: number,
  { areWaitsFolded }: { readonly areWaitsFolded: boolean },
): TimeScale {
  const length = Math.max(1, end - start);
  const folds = areWaitsFolded
    ? idleTimes(runs, start, end).filter(({ from, to }) => to - from > length * foldShare)
    : [];
  const folded = folds.reduce((sum, { from, to }) => sum + to - from, 0);
  const foldWidth = Math.min(foldShare, 0.5 / Math.max(1, folds.length));
  const rest = Math.max(1, length - folded);
  const share = 1 - folds.length * foldWidth;
  const at = (time: number): number => {
    // The end can be before the start where the clocks of two servers differ.
    let active = Math.max(start, Math.min(time, end)) - start;
    let place = 0;
    for (const { from, to } of folds) {
      if (time <= from) break;
      const inside = Math.min(time, to) - from;
      active -= inside;
      place += (inside / (to - from)) * foldWidth;
    }
    return place + (active / rest) * share;
  };
  return { at, folds, start, end };
}

/** Where no step that contains no others works. */
function idleTimes(runs: readonly StepRun[], start: number, end: number): { from: number; to: number }[] {
  const busy = runs.flatMap((run) => listWork(run, end)).toSorted(([one], [other]) => one - other);
  const idle: { from: number; to: number }[] = [];
  let last = start;
  for (const [from, to] of busy) {
    if (from > last) idle.push({ from: last, to: from });
    last = Math.max(last, to);
  }
  if (end > last) idle.push({ from: last, to: end });
  return idle;
}

const containers = new Set([
  'andAll',
  'andRace',
  'andBranch',
  'andWhen',
  'andForEach',
  'andDoWhile',
  'andDoUntil',
  'andTry',
  'andRun',
]);
const sleeps = new Set(['andSleep', 'andSleepUntil', 'andWaitForEvent', 'andJoin']);

/** The times in which a step works: not those in which it waits. */
function listWork({ attempts, endedAt, pauses, startedAt, state, type }: StepRun, end: number): [number, number][] {
  const to = endedAt ?? end;
  if (containers.has(type)) return [];
  if (sleeps.has(type) || state === 'waiting')
    return [
      [startedAt, startedAt],
      [to, to],
    ];
  const waits = [
    ...pauses.map((pause) => ({ from: pause.from, to: pause.to ?? end })),
    ...attempts.map(({ at, delayMs }) => ({ from: at, to: at + delayMs })),
  ].toSorted((one, other) => one.from - other.from);
  const work: [number, number][] = [];
  let from = startedAt;
  for (const wait of waits) {
    work.push([from, Math.max(from, wait.from)]);
    from = Math.max(from, wait.to);
  }
  if (from < to) work.push([from, to]);
  return work;
}
