import type { History, Operation } from './history.ts';
import { isLinearizable, type TimedAct } from './linear-search.ts';

export interface Violation {
  readonly executionId: string;
  /** `events differ`: the events of a later read do not begin with those of an earlier one. */
  readonly reason: 'not linearizable' | 'events differ';
  readonly operations: readonly Operation[];
}

/** The executions whose history is not linearizable. */
export function findViolations({ executions }: History): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [executionId, operations] of executions) {
    if (!isLinearizable(toActs(operations))) violations.push({ executionId, reason: 'not linearizable', operations });
    else if (!areEventsOneSequence(operations)) violations.push({ executionId, reason: 'events differ', operations });
  }
  return violations;
}

/**
 * An operation is one act, or two when it changes something, waits, and then returns what it
 * observed.
 */
function toActs(operations: readonly Operation[]): readonly TimedAct[] {
  const acts: TimedAct[] = [];
  for (const operation of operations) acts.push(...actsOf(operation, acts.length));
  return acts;
}

function actsOf(
  { invokedAt, kind, outcome, returnedAt, round = 0, token = '' }: Operation,
  position: number,
): readonly TimedAct[] {
  const times = { invokedAt, returnedAt };
  if (outcome.type === 'absent') return [{ act: { type: 'see', phase: 'absent', tokens: undefined }, ...times }];
  const seen = outcome.type === 'saw' ? [{ act: { ...outcome, type: 'see' as const }, ...times }] : [];
  if (kind === 'state' || kind === 'events') return seen;
  if (outcome.type === 'refused') return [{ act: { type: 'refused', kind, round }, ...times }];

  const act = kind === 'resume' ? { type: kind, round, token } : { type: kind };
  if (outcome.type === 'unknown') return [{ act, invokedAt, returnedAt: Infinity, isOptional: true }];
  return [{ act, ...times }, ...seen.map((observation) => ({ ...observation, after: position }))];
}

/**
 * Of two reads, one is a prefix of the other, and a read is not shorter than one that had ended
 * before it began.
 */
function areEventsOneSequence(operations: readonly Operation[]): boolean {
  const reads = operations.filter(({ events }) => events !== undefined);
  return reads.every((one) =>
    reads.every((other) => {
      const [events, later] = [one.events ?? [], other.events ?? []];
      if (!events.slice(0, later.length).every((event, index) => event === later[index])) return false;
      const isBefore = one.returnedAt < other.invokedAt && other.outcome.type === 'saw';
      return !isBefore || later.length >= events.length;
    }),
  );
}
