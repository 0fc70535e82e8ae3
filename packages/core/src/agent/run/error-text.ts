import { isHalyardError } from '@halyard/contracts';

/** What a client may read of a failure. */
export function errorText(error: unknown): string {
  return isHalyardError(error) && error.kind !== 'internal' ? error.message : 'The run failed';
}
