import { isHalyardError, UnavailableError } from '@halyard/contracts';

/** Converts a failure to read or write a conversation into the error of the run. The message of the driver is only in `cause`. */
export function storageFailure(error: unknown): Error {
  return isHalyardError(error)
    ? error
    : new UnavailableError('STORAGE_UNAVAILABLE', 'The storage of the conversation does not answer', { cause: error });
}
