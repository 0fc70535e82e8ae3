/** Tells the time. Logic never calls `Date.now()`, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Makes ids that are unique within this service and fit `^[A-Za-z0-9_.:-]{1,128}$`. */
export interface Ids {
  next(): string;
}

/** A structured logger: pino's shape, so that Fastify's logger is one. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The person a verified credential speaks for. `id` (else `sub`) is who owns what they make. */
export interface User {
  readonly id?: string;
  readonly sub?: string;
  readonly [claim: string]: unknown;
}

/** Remembers which tool approvals were used, so that each is accepted once. */
export interface ApprovalStore {
  /**
   * Names one life of a store that forgets when its process ends; another one each time, absent where nothing is forgotten. Requests for approval are
   * signed for the life they were made in: nobody knows which of an earlier one were used.
   */
  readonly lifeId?: string;
  /**
   * Marks an approval as used. Atomic: of any number of parallel calls with one id, exactly one resolves to `true`.
   *
   * @param expiresAt milliseconds since the epoch; the store may forget the id after that.
   */
  consume(approvalId: string, expiresAt: number): Promise<boolean>;

  /** Forgets ids of approvals that have expired, `limit` at most. @returns how many. */
  purge(limit: number): Promise<number>;
}
