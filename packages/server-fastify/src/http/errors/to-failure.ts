import { isHalyardError } from '@halyard/contracts';
import { statusForKind } from './status-for-kind.ts';

/** A failure as the client sees it. */
export interface Failure {
  readonly status: number;
  /** Sent in the header `x-error-code`. */
  readonly code: string;
  readonly message: string;
  /** The scheme in the header `WWW-Authenticate`. */
  readonly scheme?: 'Bearer';
  /**
   * The seconds in the header `Retry-After`. Default for the statuses 429 and 503:
   * {@link retryAfterSeconds}.
   */
  readonly retryAfter?: number;
  /**
   * Whether it is a fault of the server, whose cause is logged because the client does not receive
   * it.
   */
  readonly isServerFault: boolean;
}

/**
 * How long a client should wait before it retries while the server is shutting down or overloaded.
 */
export const retryAfterSeconds = 5;

/**
 * The failure that is sent for a thrown value. Replaces messages that are not meant for clients.
 */
export function toFailure(error: unknown, requestId: string): Failure {
  if (isHalyardError(error)) {
    const { code, kind, message } = error;
    if (kind === 'internal') return internal(requestId);
    const scheme = 'wantsToken' in error && error.wantsToken === true ? ({ scheme: 'Bearer' } as const) : {};
    return { status: statusForKind[kind], code, message, isServerFault: kind === 'failed', ...scheme };
  }
  return parserFailures.get(readCode(error)) ?? internal(requestId);
}

const fromHandlers = new WeakSet<object>();

/**
 * Marks an error of a handler of Halyard: its status is Halyard's own, also if the error of a
 * dependency has one.
 */
export function thrownByHandler(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) fromHandlers.add(error);
  return error;
}

/**
 * The failure for an error of the app, of the app that uses the plugin, or of Fastify's validation:
 * it keeps a status 4xx. Undefined for any other error.
 */
export function failureOfApp(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || isHalyardError(error) || fromHandlers.has(error)) return undefined;
  if (parserFailures.has(readCode(error))) return undefined;
  const status: unknown = 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 499) return undefined;
  if ('validation' in error) return invalidRequest('INVALID_INPUT', error.message, status);
  const code = readCode(error);
  const isOwn = typeof code === 'string' && /^(?!FST_)[A-Z][A-Z0-9_]{2,63}$/.test(code);
  return invalidRequest(isOwn ? code : 'REQUEST_REFUSED', error.message, status);
}

/**
 * The field of a log line with the error. Empty when a model failed: the run of its agent has
 * logged why.
 */
export function loggedError(error: unknown, { code }: Failure): { readonly err?: unknown } {
  return modelFailures.has(code) ? {} : { err: error };
}

const modelFailures: ReadonlySet<string> = new Set(['MODEL_FAILED', 'MODEL_KEY_MISSING', 'PROMPT_TOO_LONG']);

/** The JSON envelope of a failure. */
export function failureBody({ message }: Pick<Failure, 'message'>): string {
  return `{"success":false,"error":${JSON.stringify(message)}}`;
}

export function invalidRequest(code: string, message: string, status = 400): Failure {
  return { status, code, message, isServerFault: false };
}

function internal(requestId: string): Failure {
  return {
    status: 500,
    code: 'INTERNAL',
    message: `Internal server error (request ${requestId})`,
    isServerFault: true,
  };
}

/**
 * The errors of Fastify's router and parsers, by code. Any other error of theirs is a fault of the
 * server.
 */
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
  // The client closed the connection while sending the body.
  ['ECONNRESET', invalidRequest('INVALID_REQUEST', 'body was not sent in full')],
]);

function readCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
