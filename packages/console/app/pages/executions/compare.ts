import type { StepRun } from './execution-model.ts';

export type Side = 'left' | 'right';

export interface ComparedStep {
  readonly instance: string;
  readonly left: StepRun | undefined;
  readonly right: StepRun | undefined;
  /**
   * Whether both ran with the same input, output, error and state, or one has taken it over from
   * the other.
   */
  readonly isSame: boolean;
  /** The side that replays the other, and has what the other recorded for this step. */
  readonly takenOverBy?: Side | undefined;
}

/**
 * The last run of each step of two executions, in the order of the first; steps that only the
 * second ran follow where they ran.
 *
 * @param replaying the side that is a replay of the other: it has the records of the steps before
 * its first one.
 */
export function alignRuns(
  left: readonly StepRun[],
  right: readonly StepRun[],
  replaying?: Side,
): readonly ComparedStep[] {
  const one = lastRuns(left);
  const other = lastRuns(right);
  const order = [...one.keys()];
  let place = 0;
  for (const instance of other.keys()) {
    const known = order.indexOf(instance);
    if (known === -1) order.splice(place, 0, instance);
    place = (known === -1 ? place : known) + 1;
  }
  const ofReplay = replaying === 'left' ? one : other;
  const begins = replaying === undefined ? 0 : order.findIndex((instance) => ofReplay.has(instance));
  return order.map((instance, index) => {
    const pair = { left: one.get(instance), right: other.get(instance) };
    const takenOverBy = index < begins ? replaying : undefined;
    return { instance, ...pair, takenOverBy, isSame: takenOverBy !== undefined || isSameRun(pair.left, pair.right) };
  });
}

function lastRuns(runs: readonly StepRun[]): ReadonlyMap<string, StepRun> {
  return new Map(runs.filter(({ isSuperseded }) => !isSuperseded).map((run) => [run.instance, run]));
}

function isSameRun(left: StepRun | undefined, right: StepRun | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return (
    left.state === right.state &&
    left.error === right.error &&
    differences(left.input, right.input).length === 0 &&
    differences(left.output, right.output).length === 0
  );
}

/** At most this many places: values that have nothing in common differ everywhere. */
const mostDifferences = 100;

/** The places at which two JSON values differ: `lines.0.sku`; `''` is the whole value. */
export function differences(one: unknown, other: unknown, at = '', found: string[] = []): readonly string[] {
  if (found.length >= mostDifferences || Object.is(one, other)) return found;
  if (!isFolder(one) || !isFolder(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push(at);
    return found;
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (found.length >= mostDifferences) break;
    const place = at === '' ? name : `${at}.${name}`;
    if (Object.hasOwn(one, name) !== Object.hasOwn(other, name)) found.push(place);
    else differences(one[name], other[name], place, found);
  }
  return found;
}

function isFolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
