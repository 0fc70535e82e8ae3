import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import type { OpenedPool, PoolClient } from './boss-database.ts';

const longestRetryMs = 5_000;

/** The part of a connection of `pg` that hears notifications. */
interface ListeningClient extends PoolClient {
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  removeAllListeners(event: 'notification'): unknown;
}

/** Tells other processes that there is work: names of workflows only. One connection hears what they tell. Who hears nothing looks now and then. */
export class WakeUps {
  readonly #opened: OpenedPool;
  readonly #channel: string;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #hearing: Promise<void> | undefined;

  constructor(opened: OpenedPool, { logger, schema }: { readonly logger: Logger; readonly schema: string }) {
    this.#opened = opened;
    this.#logger = logger;
    this.#channel = `${schema}_work`.slice(0, 63);
  }

  listen(onWork: (workflowId: string) => void): void {
    this.#hearing ??= this.#hear(onWork);
  }

  async tell(workflowId: string): Promise<void> {
    if (!this.#opened.isShared) return;
    const client = await this.#opened.pool.connect();
    try {
      await client.query('select pg_notify($1, $2)', [this.#channel, workflowId]);
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#hearing;
  }

  async #hear(onWork: (workflowId: string) => void): Promise<void> {
    const { canListen, isShared, pool } = this.#opened;
    const { signal } = this.#closing;
    if (!isShared || !canListen) return;
    for (let waitMs = 100; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        await this.#listen((await pool.connect()) as ListeningClient, onWork);
      } catch (error) {
        this.#logger.debug({ err: error }, 'no connection hears of work in the queue; it is tried again');
      }
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Until the connection breaks off, or it is closed. */
  async #listen(client: ListeningClient, onWork: (workflowId: string) => void): Promise<void> {
    const { promise: broken, resolve } = Promise.withResolvers<void>();
    const { signal } = this.#closing;
    client.on('error', resolve);
    client.on('end', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    try {
      client.on('notification', ({ payload }) => onWork(payload ?? ''));
      await client.query(`listen "${this.#channel}"`, []);
      // What was told while nobody heard.
      onWork('');
      if (!signal.aborted) await broken;
    } finally {
      client.removeAllListeners('notification');
      client.release(true);
    }
  }
}
