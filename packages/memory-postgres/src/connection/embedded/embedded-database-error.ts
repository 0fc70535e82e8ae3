import type { WorkerFailure } from './worker-messages.ts';

/** What an embedded database answers in place of rows. */
export class EmbeddedDatabaseError extends Error {
  /** SQLSTATE. */
  readonly code: string | undefined;
  readonly severity: string | undefined;

  constructor({ code, message, severity }: WorkerFailure) {
    super(message);
    this.name = 'EmbeddedDatabaseError';
    this.code = code;
    this.severity = severity;
  }
}
