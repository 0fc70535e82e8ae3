import type { ErrorKind } from '@halyard/contracts';

/** The HTTP status of each kind of error. No other code chooses the status of an error. */
export const statusForKind: Readonly<Record<ErrorKind, number>> = {
  'invalid-input': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'rate-limited': 429,
  unavailable: 503,
  failed: 500,
  internal: 500,
};
