import type { WorkerFailure } from './database-thread.ts';

/**
 * SQLSTATE of a server that has crashed: the connection is lost, and so are uncommitted changes.
 */
const crashShutdown = '57P02';

/** An error of the embedded database. It has the fields that errors of `pg` have. */
export class EmbeddedDatabaseError extends Error {
  /** SQLSTATE. */
  readonly code: string | undefined;
  readonly severity: string | undefined;

  constructor({ code, isFatal = false, message, severity }: WorkerFailure) {
    super(message);
    this.name = 'EmbeddedDatabaseError';
    this.code = isFatal ? crashShutdown : code;
    this.severity = severity;
  }
}
