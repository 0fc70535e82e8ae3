import { isHalyardError, UnavailableError } from '@halyard/contracts';

/**
 * SQLSTATE classes and codes that mean that the server or the connection failed, rather than the
 * statement itself.
 */
const unavailableStates = /^(?:08|53|57P|58|25P03$|40P01$|55P03$|57014$|40001$|25006$)/;
/** Deadlock, lock timeout, statement timeout, serialization failure. */
const statementStates: ReadonlySet<unknown> = new Set(['40P01', '55P03', '57014', '40001']);
const socketCodes = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EACCES)/;

/**
 * The error that callers get when the database does not respond. The driver's own message is in
 * `cause` only.
 */
export function storageUnavailable(cause: unknown): UnavailableError {
  return new UnavailableError('STORAGE_UNAVAILABLE', 'The storage is not available', { cause });
}

/**
 * Turns connection and server errors into {@link storageUnavailable}. Returns any other error
 * unchanged.
 */
export function toStorageError(error: unknown): unknown {
  return !isHalyardError(error) && isUnavailability(error) ? storageUnavailable(error) : error;
}

/**
 * Whether the database cannot serve any call, as opposed to one statement that was refused or timed
 * out.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (!isHalyardError(error) || error.kind !== 'unavailable') return false;
  const { cause } = error;
  return !(cause instanceof Error && 'code' in cause && statementStates.has(cause.code));
}

/**
 * Whether the connection must not be used again: the server sent no error message, or ended the
 * session.
 */
export function isBroken(error: unknown): boolean {
  return error instanceof Error && (!('severity' in error) || isLostConnection(error));
}

/**
 * Whether the connection was lost, so that a statement that may run twice can be sent again at
 * once.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return /terminated|closed|not queryable/i.test(error.message);
  return code === '57P01' || code === '57P02' || code === 'ECONNRESET' || code === 'EPIPE';
}

function isUnavailability(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  // The driver's own errors have no code: the connection was lost, or could not be opened in time.
  if (typeof code !== 'string') return !('severity' in error);
  // Any system call on a socket may fail, also with codes such as EIO or EMFILE.
  return unavailableStates.test(code) || 'syscall' in error || socketCodes.test(code);
}
