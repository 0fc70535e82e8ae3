import type { Logger } from '@halyard/contracts';
import { type Database, listen, type OpenedPool, sql } from '@halyard/memory-postgres/database';
import type { BossTables } from './open-boss.ts';

interface WakeUpsOptions {
  readonly database: Database<BossTables>;
  readonly opened: OpenedPool;
  readonly logger: Logger;
  readonly schema: string;
}

/** Notifies the other processes of new work. A notification is the id of a workflow. A process that does not receive it finds the work by polling. */
export class WakeUps {
  readonly #options: WakeUpsOptions;
  readonly #channel: string;
  readonly #closing = new AbortController();
  #listening: Promise<void> | undefined;

  constructor(options: WakeUpsOptions) {
    this.#options = options;
    this.#channel = `${options.schema}_work`.slice(0, 63);
  }

  /** @param onWork called with a workflow's id, or without one when there may be work of any workflow. */
  listen(onWork: (workflowId?: string) => void): void {
    const { logger, opened } = this.#options;
    this.#listening ??= listen(opened, {
      channel: this.#channel,
      signal: this.#closing.signal,
      onNotification: (workflowId) => onWork(workflowId),
      onListening: () => onWork(),
      onError: (error) => logger.debug({ err: error }, 'No connection listens for work in the queue; retrying'),
    });
  }

  async notify(workflowId: string): Promise<void> {
    const { database, opened } = this.#options;
    if (opened.isShared) await database.run((db) => sql`select pg_notify(${this.#channel}, ${workflowId})`.execute(db));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#listening;
  }
}
