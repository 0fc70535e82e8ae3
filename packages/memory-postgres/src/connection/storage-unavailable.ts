import { isHalyardError, UnavailableError } from '@halyard/contracts';

/** SQLSTATE classes and codes that say that the server, or the way to it, is at fault: not the statement. */
const unavailableStates = /^(?:08|53|57P|58|25P03$|40P01$|55P03$|57014$|40001$|25006$)/;
/** A deadlock, a lock or a statement that took too long, a serialization failure. */
const statementStates: ReadonlySet<unknown> = new Set(['40P01', '55P03', '57014', '40001']);
const socketCodes = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EACCES)/;

/** What callers are told when the database does not answer: the driver's own text is in `cause` only. */
export function storageUnavailable(cause: unknown): UnavailableError {
  return new UnavailableError('STORAGE_UNAVAILABLE', 'The storage is not available', { cause });
}

/** Errors of the way to the database become {@link storageUnavailable}, others stay. */
export function asStorageError(error: unknown): unknown {
  return !isHalyardError(error) && isOfConnection(error) ? storageUnavailable(error) : error;
}

function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  // The driver's own errors have no code: a connection that broke off, or did not come about in time.
  if (typeof code !== 'string') return !('severity' in error);
  return unavailableStates.test(code) || socketCodes.test(code);
}

/** Whether one statement was refused or took too long, be it for a row that somebody else holds: others may go through. */
export function isOfStatement(error: unknown): boolean {
  const cause = error instanceof UnavailableError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && statementStates.has(cause.code);
}

/** Whether nothing came from the server, or nothing more will: the connection is not fit for further use. */
export function isBroken(error: unknown): boolean {
  return error instanceof Error && (!('severity' in error) || isLostConnection(error));
}

/** Whether it is a lost connection: a statement that bears it may be sent again at once. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return /terminated|closed|not queryable/i.test(error.message);
  return code === '57P01' || code === '57P02' || code === 'ECONNRESET' || code === 'EPIPE';
}
