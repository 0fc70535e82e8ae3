import { isHalyardError } from '@halyard/contracts';
import { statusOf } from './status-of.ts';

/** What a client learns of a failure. */
export interface Failure {
  readonly status: number;
  /** Travels in `x-error-code`. */
  readonly code: string;
  readonly message: string;
  /** The scheme that the answer asks for in `WWW-Authenticate`. */
  readonly scheme?: 'Bearer';
  /** Seconds until it is worth another try, where that is not {@link retryAfterSeconds} by its status. */
  readonly retryAfter?: number;
  /** The failure is ours: its cause belongs in the log, because the client does not get it. */
  readonly isOurs: boolean;
}

/** How long a client should wait before it asks a server again that is draining or overloaded. */
export const retryAfterSeconds = 5;

/** What a client is told of anything that was thrown. Text that is not meant for clients is replaced. */
export function toFailure(error: unknown, requestId: string): Failure {
  if (isHalyardError(error)) {
    const { code, kind, message } = error;
    if (kind === 'internal') return internal(requestId);
    const scheme = 'wantsToken' in error && error.wantsToken === true ? ({ scheme: 'Bearer' } as const) : {};
    return { status: statusOf[kind], code, message, isOurs: kind === 'failed', ...scheme };
  }
  return parserFailures.get(codeOf(error)) ?? internal(requestId);
}

/** The envelope of a failure. */
export function failureBody({ message }: Pick<Failure, 'message'>): string {
  return `{"success":false,"error":${JSON.stringify(message)}}`;
}

export function invalidRequest(code: string, message: string, status = 400): Failure {
  return { status, code, message, isOurs: false };
}

function internal(requestId: string): Failure {
  return { status: 500, code: 'INTERNAL', message: `Internal server error (request ${requestId})`, isOurs: true };
}

/** What the framework's router and parsers throw, by its code. Anything of theirs that is not listed here is our own fault. */
const parserFailures: ReadonlyMap<unknown, Failure> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', invalidRequest('BODY_TOO_LARGE', 'body is too large', 413)],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    invalidRequest('UNSUPPORTED_MEDIA_TYPE', 'body must be sent as application/json', 415),
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    invalidRequest('INVALID_REQUEST', 'body does not have the length that content-length states'),
  ],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', invalidRequest('INVALID_JSON', 'body is not valid JSON')],
  ['FST_ERR_CTP_INVALID_JSON_BODY', invalidRequest('INVALID_JSON', 'body is not valid JSON')],
  ['FST_ERR_BAD_URL', invalidRequest('INVALID_URL', 'url is not a valid path')],
  // The client broke off while it was sending its body.
  ['ECONNRESET', invalidRequest('INVALID_REQUEST', 'body was not sent in full')],
]);

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
