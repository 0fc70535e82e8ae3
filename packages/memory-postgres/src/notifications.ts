import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import type { PostgresPoolClient } from 'kysely';
import type { Database } from './database.ts';
import { type Change, Watchers } from './watchers.ts';

/** What is told meanwhile goes in one notification. */
const gatherMs = 20;
/** PostgreSQL takes 8000 bytes. */
const longestPayload = 7_500;
const pollMs = 2_000;
const longestRetryMs = 5_000;

/** The part of a connection of `pg` that hears notifications. */
interface ListeningClient extends PostgresPoolClient {
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  removeAllListeners(event: 'notification'): unknown;
}

/**
 * Tells processes of each other's changes: ids only, gathered, after they are written. One connection hears those of others; while there is none, and also
 * beside it, now and then, who watches is told to look.
 */
export class Notifications {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #channel: string;
  readonly #origin = randomUUID().slice(0, 8);
  readonly #watchers = new Watchers();
  readonly #closing = new AbortController();
  #gathered = new Map<string, Change>();
  #sending: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #isHearing = false;
  #hearing: Promise<void> | undefined;

  constructor(database: Database, { logger, schema }: { readonly logger: Logger; readonly schema: string }) {
    this.#database = database;
    this.#logger = logger;
    this.#channel = `halyard_${schema}`.slice(0, 63);
  }

  watch(id: string, listener: (change: Change) => void): () => void {
    this.#hearing ??= this.#hear();
    return this.#watchers.add(id, listener);
  }

  /** To be called after the change is written. */
  tell(id: string, change: Change): void {
    this.#watchers.tell(id, change);
    if (this.#closing.signal.aborted) return;
    if (this.#gathered.get(id) !== 'signal') this.#gathered.set(id, change);
    this.#sending ??= this.#sendSoon();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#poll);
    await this.#sending;
    await this.#hearing;
  }

  async #sendSoon(): Promise<void> {
    const { signal } = this.#closing;
    const opened = await this.#database.opened();
    while (this.#gathered.size > 0) {
      // At the end what has gathered is sent at once.
      await delay(gatherMs, undefined, { signal, ref: false }).catch(() => {});
      const gathered = this.#gathered;
      this.#gathered = new Map();
      if (opened?.hasListener !== true) break;
      await this.#send(gathered).catch((error: unknown) => {
        this.#logger.debug({ err: error }, 'other processes could not be told of changes; they look by themselves');
      });
    }
    this.#sending = undefined;
  }

  async #send(gathered: ReadonlyMap<string, Change>): Promise<void> {
    const payloads: string[] = [];
    let payload = this.#origin;
    for (const [id, change] of gathered) {
      const next = `${change === 'signal' ? '!' : '.'}${id}`;
      if (Buffer.byteLength(payload) + Buffer.byteLength(next) + 1 > longestPayload) {
        payloads.push(payload);
        payload = this.#origin;
      }
      payload += `\n${next}`;
    }
    payloads.push(payload);
    await this.#database.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
      this.#channel,
      payloads,
    ]);
  }

  /** Listens until it is closed, on a new connection when one breaks off. */
  async #hear(): Promise<void> {
    const { signal } = this.#closing;
    const opened = await this.#database.opened();
    if (opened?.hasListener !== true) return;
    this.#poll = setInterval(() => this.#lookUnlessHearing(), pollMs).unref();
    for (let waitMs = 100; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        const client = (await opened.pool.connect()) as ListeningClient;
        await this.#listen(client, () => {
          waitMs = 100;
        });
      } catch (error) {
        this.#logger.debug({ err: error }, 'no connection hears of changes; it is tried again');
      }
      this.#isHearing = false;
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Resolves when the connection is no more. */
  async #listen(client: ListeningClient, onHearing: () => void): Promise<void> {
    const { signal } = this.#closing;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    client.on('error', end);
    client.on('end', end);
    signal.addEventListener('abort', () => end(), { once: true });
    client.on('notification', ({ payload }) => this.#heard(payload ?? ''));
    try {
      await client.query(`listen "${this.#channel}"`, []);
      this.#isHearing = true;
      onHearing();
      // What came meanwhile was not heard.
      this.#tellAll();
      if (!signal.aborted) await over;
    } finally {
      client.removeAllListeners('notification');
      client.release(true);
    }
  }

  #heard(payload: string): void {
    const [origin, ...changes] = payload.split('\n');
    if (origin === this.#origin) return;
    for (const change of changes) this.#watchers.tell(change.slice(1), change.startsWith('!') ? 'signal' : 'commit');
  }

  #lookUnlessHearing(): void {
    if (!this.#isHearing) this.#tellAll();
  }

  #tellAll(): void {
    for (const id of this.#watchers.ids) {
      this.#watchers.tell(id, 'commit');
      this.#watchers.tell(id, 'signal');
    }
  }
}
