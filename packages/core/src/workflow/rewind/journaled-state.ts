import type { JournalEntry, JsonObject, StateRewind } from '@halyard/contracts';
import { decisionPath, type Place, records } from '../definition/place.ts';

/** The output of an entry that changes the workflow state of an execution. */
type StateChange = { readonly executionId: string; readonly patch: JsonObject };

/**
 * @param path a decision of the step that sets the fields: a rewind to the step removes the entry.
 */
export function stateEntry(path: Place, change: StateChange, now: number): JournalEntry {
  const times = { startedAt: now, endedAt: now };
  return { path, type: 'state', status: 'success', output: change, attempts: 1, ...times };
}

/**
 * The entry of the state that a root starts with; none for an empty state. No rewind removes it.
 */
export function initialStateEntries(executionId: string, state: JsonObject, now: number): readonly JournalEntry[] {
  return Object.keys(state).length === 0
    ? []
    : [stateEntry(decisionPath('', 'state'), { executionId, patch: state }, now)];
}

/** An entry for a copy of its execution, which has this id. */
export function copyEntry(executionId: string, entry: JournalEntry): JournalEntry {
  if (!records(entry, 'state')) return entry;
  const { patch } = entry.output as StateChange;
  return { ...entry, output: { executionId, patch } };
}

/** The states that these entries result in, by the id of the execution. */
export function journaledStates(journal: readonly JournalEntry[]): ReadonlyMap<string, JsonObject> {
  const states = new Map<string, JsonObject>();
  for (const entry of journal) {
    if (!records(entry, 'state')) continue;
    // `stateEntry` has written it.
    const { executionId, patch } = entry.output as StateChange;
    states.set(executionId, { ...states.get(executionId), ...patch });
  }
  return states;
}

export function rewoundState(state: JsonObject, { set, unset }: StateRewind): JsonObject {
  const fields = Object.entries(state).filter(([name]) => !unset.includes(name));
  return { ...Object.fromEntries(fields), ...set };
}
