import type { ErrorCode } from './error-code.ts';

/**
 * Base of every error that the client throws. An aborted call throws the reason of its signal
 * instead.
 */
export class ClientError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server could not be reached, or the connection broke and could not be opened again. */
export class ConnectionError extends ClientError {}

/** The reply is not one of Halyard, such as the error page of a proxy. */
export class UnexpectedReplyError extends ClientError {
  readonly status: number;
  /** The first 1000 characters. */
  readonly body: string;

  constructor(status: number, body: string, options?: { readonly cause?: unknown }) {
    super(`The answer with status ${status} is not one of Halyard`, options);
    this.status = status;
    this.body = body;
  }
}

/** A stream that had begun ended with an error of the server. */
export class StreamFailedError extends ClientError {}

/** The server's explanation of a request that it did not fulfil. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly executionId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/**
 * The server refused or failed a request. `message` is its sentence, which names the field that is
 * wrong.
 */
export class ApiError extends ClientError {
  readonly status: number;
  /** Stable: docs/errors.md says what to do for each. */
  readonly code: ErrorCode | (string & {});
  /** Find the lines of the request in the log of the server with it. */
  readonly requestId: string | undefined;
  /** The execution that the request has created nevertheless. */
  readonly executionId: string | undefined;
  /** When the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, executionId, message, requestId, retryAfterMs, status }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.executionId = executionId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The request is not valid: status 400, and 4xx without a class of its own. */
export class InvalidRequestError extends ApiError {}

/** The credential is missing or not valid: status 401. */
export class UnauthenticatedError extends ApiError {}

/** The caller may not do this: status 403. */
export class ForbiddenError extends ApiError {}

/** The id names nothing that the caller may access: status 404. */
export class NotFoundError extends ApiError {}

/** The state of the server does not allow it, such as an id that is taken: status 409. */
export class ConflictError extends ApiError {}

/** The caller has reached a limit: status 429. */
export class RateLimitedError extends ApiError {}

/** A model, a tool, a step or the server failed: status 500. */
export class FailedError extends ApiError {}

/** The server is overloaded, is shutting down, or cannot reach its storage: status 503. */
export class UnavailableError extends ApiError {}

/**
 * The error of a status. The server derives the status from the kind of its error, so each code has
 * one class.
 */
export function apiError(refusal: Refusal): ApiError {
  const Class = classes[refusal.status] ?? (refusal.status < 500 ? InvalidRequestError : FailedError);
  return new Class(refusal);
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitedError,
  503: UnavailableError,
};
