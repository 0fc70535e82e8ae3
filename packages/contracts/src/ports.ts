/**
 * The source of the current time. Logic never calls `Date.now()`, so that tests can set the time.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since some moment, for leases: changes of the system's time do not affect it.
   * Default: `now`.
   */
  monotonicNow?(): number;
}

/** Generates ids that are unique within this service and match `^[A-Za-z0-9_.:-]{1,128}$`. */
export interface Ids {
  next(): string;
}

/** A structured logger with the methods of pino, so that Fastify's logger can be passed. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The user of a verified credential. `id`, or `sub` without an id, is the owner of the user's data.
 */
export interface User {
  readonly id?: string;
  readonly sub?: string;
  readonly [claim: string]: unknown;
}
