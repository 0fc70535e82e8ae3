import { isHalyardError, UnavailableError } from '@halyard/contracts';

/** The error of a run whose conversation cannot be read or written. The message of the driver is only in `cause`. */
export function storageFailure(error: unknown): Error {
  return isHalyardError(error)
    ? error
    : new UnavailableError('STORAGE_UNAVAILABLE', 'The storage of the conversation does not answer', { cause: error });
}
