import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import type { PostgresPoolClient } from 'kysely';
import type { Database, OpenedPool } from './database.ts';
import { WatchedRows } from './watched-rows.ts';
import type { Change } from './watchers.ts';

/** Between two notifications; what is told meanwhile goes in one. */
const gatherMs = 20;
/** PostgreSQL takes 8000 bytes. */
const longestPayload = 7_900;
const pollMs = 3_000;
const longestRetryMs = 5_000;

/** Stands before what is told: what happened to an execution, or that something happened to a stream. */
const marks = { commit: '.', signal: '!', stream: '~' } as const;

const executionState = `concat(updated_at, ' ', seq, ' ', signals, ' ', epoch)`;

/** That a lease has run out is told by nobody. */
function streamState(shiftMs: number): string {
  return `concat(status, ' ', chunk_count, ' ', is_stop_requested, ' ', lease_until <= extract(epoch from clock_timestamp()) * 1000 + ${shiftMs})`;
}

/** The part of a connection of `pg` that hears notifications. */
interface ListeningClient extends PostgresPoolClient {
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  removeAllListeners(event: 'notification'): unknown;
}

/**
 * Tells processes of each other's changes: ids only, gathered, after they are written. One connection hears those of others. A look at what is watched, now
 * and then, finds what nobody heard of: there is no such connection in a pool of one, or behind some poolers.
 */
export class Notifications {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #channel: string;
  readonly #origin = randomUUID().slice(0, 8);
  readonly #executions: WatchedRows;
  readonly #streams: WatchedRows;
  readonly #closing = new AbortController();
  /** Lines of what is told next: a mark for what happened, and the id. */
  #gathered = new Set<string>();
  #sending: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #hearing: Promise<void> | undefined;

  constructor(database: Database, { logger, schema }: { readonly logger: Logger; readonly schema: string }) {
    this.#database = database;
    this.#logger = logger;
    this.#channel = `halyard_${schema}`.slice(0, 63);
    this.#executions = new WatchedRows(database, 'executions', () => executionState);
    this.#streams = new WatchedRows(database, 'streams', streamState);
  }

  watch(id: string, listener: (change: Change) => void): () => void {
    this.#hearing ??= this.#hear();
    return this.#executions.watchers.add(id, listener);
  }

  watchStream(id: string, listener: () => void): () => void {
    this.#hearing ??= this.#hear();
    // The look tells of both changes: one of them is enough.
    return this.#streams.watchers.add(id, (change) => {
      if (change === 'commit') listener();
    });
  }

  /** To be called after the change is written. */
  tell(id: string, change: Change): void {
    this.#executions.watchers.tell(id, change);
    this.#gather(`${marks[change]}${id}`);
  }

  /** To be called after the change is written. */
  tellStream(id: string): void {
    this.#streams.watchers.tell(id, 'commit');
    this.#gather(`${marks.stream}${id}`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#poll);
    await this.#sending;
    await this.#hearing;
  }

  #gather(line: string): void {
    if (this.#closing.signal.aborted) return;
    this.#gathered.add(line);
    this.#sending ??= this.#sendSoon();
  }

  async #sendSoon(): Promise<void> {
    const { signal } = this.#closing;
    const opened = await this.#database.opened();
    while (this.#gathered.size > 0) {
      const gathered = this.#gathered;
      this.#gathered = new Set();
      if (opened?.isShared !== true) break;
      await this.#send(gathered).catch((error: unknown) => {
        this.#logger.debug({ err: error }, 'other processes could not be told of changes; they look by themselves');
      });
      // At the end what has gathered is sent at once.
      await delay(gatherMs, undefined, { signal, ref: false }).catch(() => {});
    }
    this.#sending = undefined;
  }

  async #send(gathered: ReadonlySet<string>): Promise<void> {
    const payloads: string[] = [];
    let lines = [this.#origin];
    let bytes = 0;
    for (const line of gathered) {
      bytes += Buffer.byteLength(JSON.stringify(line)) + 1;
      if (bytes > longestPayload) {
        payloads.push(JSON.stringify(lines));
        lines = [this.#origin];
        bytes = Buffer.byteLength(JSON.stringify(line)) + 1;
      }
      lines.push(line);
    }
    payloads.push(JSON.stringify(lines));
    await this.#database.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
      this.#channel,
      payloads,
    ]);
  }

  /** Listens until it is closed, on a new connection when one breaks off. */
  async #hear(): Promise<void> {
    const { signal } = this.#closing;
    const opened = await this.#database.opened();
    if (opened === undefined || signal.aborted) return;
    this.#poll = setInterval(() => void this.#look(opened), pollMs).unref();
    if (!opened.isShared) return;
    for (let waitMs = 100; opened.canListen && !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        const client = (await opened.pool.connect()) as ListeningClient;
        await this.#listen(client, () => {
          waitMs = 100;
        });
      } catch (error) {
        this.#logger.debug({ err: error }, 'no connection hears of changes; it is tried again');
      }
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
    client.on('notification', ({ payload }) => this.#heard(payload ?? '[]'));
    try {
      await client.query(`listen "${this.#channel}"`, []);
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
    const [origin, ...changes] = JSON.parse(payload) as readonly string[];
    if (origin === this.#origin) return;
    for (const change of changes) {
      const id = change.slice(1);
      if (change.startsWith(marks.stream)) this.#streams.watchers.tell(id, 'commit');
      else this.#executions.watchers.tell(id, change.startsWith(marks.signal) ? 'signal' : 'commit');
    }
  }

  /** The safety net. */
  async #look({ isShared }: OpenedPool): Promise<void> {
    try {
      if (isShared) await this.#executions.look();
      await this.#streams.look();
    } catch (error) {
      this.#logger.debug({ err: error }, 'the database could not be asked for changes');
    }
  }

  #tellAll(): void {
    this.#executions.tellAll();
    this.#streams.tellAll();
  }
}
