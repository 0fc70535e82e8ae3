import { type Act, apply, isObservation, type ModelState, movesOf, initialState } from './linear-model.ts';

/** An act and the time during which it can have happened, in milliseconds of one clock. */
export interface TimedAct {
  readonly act: Act;
  readonly invokedAt: number;
  /** `Infinity` when there was no response: the act may still happen. */
  readonly returnedAt: number;
  /** Whether the act may never have happened. */
  readonly isOptional?: boolean;
  /** The index of an act that must happen before this one. */
  readonly after?: number;
}

/**
 * Whether the acts on one execution can be ordered so that each happens between its two times and
 * the model allows the sequence. This is the search of Wing and Gong, with the memoization of Lowe:
 * it does not examine the same remaining acts in the same state twice.
 */
export function isLinearizable(acts: readonly TimedAct[]): boolean {
  const seen = new Set<string>();
  const open: [ReadonlySet<number>, ModelState][] = [[new Set(acts.keys()), initialState]];
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

/**
 * Observations that match the current state can be placed here, which only makes the rest easier to
 * order.
 */
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

/** The acts that can be next: no other remaining act had ended before they began. */
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
