import { type ExecutionError, HalyardError, type JournalEntry } from '@halyard/contracts';
import { decisionPath } from '../../definition/place.ts';
import type { Ending } from '../run/ending.ts';

/** Where the journal records how an execution ends while it is compensated. */
export const endingPath: string = decisionPath('', 'ending');

export type CompensatedEnding = Exclude<Ending, { readonly status: 'completed' }>;

type RecordedEnding =
  | { readonly status: 'cancelled'; readonly reason: string }
  | { readonly status: 'error'; readonly error: ExecutionError };

export function endingEntry(ending: CompensatedEnding, now: number): JournalEntry {
  const output = ending.status === 'cancelled' ? ending : { status: ending.status, error: { ...ending.error } };
  const times = { startedAt: now, endedAt: now };
  return { path: endingPath, type: 'ending', status: 'success', output, attempts: 1, ...times };
}

/** How the execution ends, if an earlier run has begun to compensate it. */
export function recordedEnding(journal: ReadonlyMap<string, JournalEntry>): CompensatedEnding | undefined {
  const entry = journal.get(endingPath);
  if (entry === undefined) return undefined;
  // `endingEntry` has written it.
  const ending = entry.output as RecordedEnding;
  if (ending.status === 'cancelled') return ending;
  const { code = 'WORKFLOW_FAILED', message } = ending.error;
  return { ...ending, cause: new HalyardError('failed', code, message) };
}
