import { isHalyardError, UnavailableError } from '@halyard/contracts';

/** What a run fails with when its conversation cannot be read or written; the driver's own words are only in `cause`. */
export function storageFailure(error: unknown): Error {
  return isHalyardError(error)
    ? error
    : new UnavailableError('STORAGE_UNAVAILABLE', 'The storage of the conversation does not answer', { cause: error });
}
