import { type ErrorKind, isHalyardError } from '../errors.ts';

/**
 * How work ended that threw an error. `aborted`: its caller has left or stopped it. `refused`: a
 * guardrail blocked it, or its request was not accepted.
 */
export type ErrorOutcome = 'failed' | 'aborted' | 'refused';

/** Aborted and refused work has not failed: neither counts as an error. */
export function outcomeOfError(error: unknown): ErrorOutcome {
  if (!isHalyardError(error)) return 'failed';
  if (error.code === 'ABORTED' || error.code === 'REPLY_STOPPED') return 'aborted';
  return refusals.has(error.kind) || error.code === 'OUTPUT_BLOCKED' ? 'refused' : 'failed';
}

/** The caller's mistakes: their HTTP status is a 4xx. */
const refusals: ReadonlySet<ErrorKind> = new Set([
  'conflict',
  'forbidden',
  'invalid-input',
  'not-found',
  'rate-limited',
  'too-large',
  'unauthenticated',
]);
