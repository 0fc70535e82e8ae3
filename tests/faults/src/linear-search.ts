import { type Act, apply, isObservation, type ModelState, movesOf, nothingYet } from './linear-model.ts';

/** An act and when it can have happened. Times are of one clock, in milliseconds. */
export interface TimedAct {
  readonly act: Act;
  readonly invokedAt: number;
  /** `Infinity` where no answer came: it may still happen. */
  readonly returnedAt: number;
  /** Whether it need not have happened. */
  readonly isOptional?: boolean;
  /** Position of the act that it comes after. */
  readonly after?: number;
}

/**
 * Whether acts on one execution, each at some moment between its two times, can have happened one after the other as the model
 * allows: the search of Wing and Gong, which does not look twice at the same acts left in the same state (Lowe).
 */
export function isLinearizable(acts: readonly TimedAct[]): boolean {
  const seen = new Set<string>();
  const open: [ReadonlySet<number>, ModelState][] = [[new Set(acts.keys()), nothingYet]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const state = next[1];
    const left = withoutObservations(acts, next[0], state);
    if (isDone(acts, left)) return true;
    const key = `${[...left].join()} ${JSON.stringify(state)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const move of movesOf(state)) open.push([left, move]);
    for (const index of possible(acts, left)) {
      const act = acts[index]?.act;
      const after = act && apply(state, act);
      if (after !== undefined) open.push([without(left, index), after]);
    }
  }
  return false;
}

/** What was seen and fits now may as well have been seen now: the rest has more room for it. */
function withoutObservations(
  acts: readonly TimedAct[],
  left: ReadonlySet<number>,
  state: ModelState,
): ReadonlySet<number> {
  const fitting = possible(acts, left).filter((index) => {
    const act = acts[index]?.act;
    return act !== undefined && isObservation(act) && apply(state, act) !== undefined;
  });
  if (fitting.length === 0) return left;
  return withoutObservations(acts, new Set([...left].filter((index) => !fitting.includes(index))), state);
}

/** Those that can be next: begun before any other that is left had ended. */
function possible(acts: readonly TimedAct[], left: ReadonlySet<number>): readonly number[] {
  let firstReturn = Infinity;
  for (const index of left) firstReturn = Math.min(firstReturn, acts[index]?.returnedAt ?? Infinity);
  return [...left].filter((index) => {
    const timed = acts[index];
    if (timed === undefined || timed.invokedAt > firstReturn) return false;
    return timed.after === undefined || !left.has(timed.after);
  });
}

function isDone(acts: readonly TimedAct[], left: ReadonlySet<number>): boolean {
  for (const index of left) if (acts[index]?.isOptional !== true) return false;
  return true;
}

function without(left: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const rest = new Set(left);
  rest.delete(index);
  return rest;
}
