import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database, OpenedPool } from './database.ts';
import { listen } from './listen.ts';
import { isOneOf } from './sql-fragments.ts';
import { fromText, toText } from './text-codec.ts';
import { type Change, WatchedRows } from './watched-rows.ts';

/** Shortest time between two `NOTIFY` statements. Changes in between are sent together. */
const batchMs = 20;
/** PostgreSQL accepts payloads of up to 8000 bytes. */
const maxPayloadBytes = 7_900;
const pollMs = 1_000;

/** First character of an entry in a payload: a commit or a signal of an execution, or any change of a stream. The id follows. */
const prefixes = { commit: '.', signal: '!', stream: '~' } as const;
/** The entry that tells that some execution is due. */
const anyDue = '*';

/**
 * Notifies the processes that share a database of each other's changes. `NOTIFY` carries ids only, in batches, after the change is written. One connection listens.
 * A poll of the watched rows finds changes whose notification was not received, for example in a pool of one connection or behind some poolers.
 */
export class Notifications {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #channel: string;
  /** Identifies the notifications of this process, whose listeners are called directly. */
  readonly #origin = randomUUID().slice(0, 8);
  readonly #executions: WatchedRows;
  readonly #streams: WatchedRows;
  readonly #dueListeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #unsent = new Set<string>();
  #sending: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(database: Database, { logger, schema }: { readonly logger: Logger; readonly schema: string }) {
    this.#database = database;
    this.#logger = logger;
    this.#channel = `halyard_${schema}`.slice(0, 63);
    this.#executions = new WatchedRows((ids) =>
      readStates(database, 'executions', ids, sql`concat(updated_at, ' ', seq, ' ', signals, ' ', epoch)`),
    );
    this.#streams = new WatchedRows((ids) => readStates(database, 'streams', ids, streamState(database)));
  }

  watch(id: string, listener: (change: Change) => void): () => void {
    this.#listening ??= this.#listen();
    return this.#executions.watch(id, listener);
  }

  /** @returns a function that removes the listener. */
  watchDue(listener: () => void): () => void {
    this.#listening ??= this.#listen();
    // The same function may be registered twice.
    const entry = (): void => listener();
    this.#dueListeners.add(entry);
    return () => void this.#dueListeners.delete(entry);
  }

  /** Some execution is due. */
  announceDue(): void {
    this.#notifyDue();
    this.#enqueue(anyDue);
  }

  watchStream(id: string, listener: () => void): () => void {
    this.#listening ??= this.#listen();
    return this.#streams.watch(id, (change) => {
      // A poll notifies of a commit and of a signal. Streams do not distinguish them.
      if (change === 'commit') listener();
    });
  }

  /** Call this after the change of an execution is written. */
  notify(id: string, change: Change): void {
    this.#executions.notify(id, change);
    this.#enqueue(`${prefixes[change]}${id}`);
  }

  /** Call this after the change of a stream is written. */
  notifyStream(id: string): void {
    this.#streams.notify(id, 'commit');
    this.#enqueue(`${prefixes.stream}${id}`);
  }

  /** Sends the notifications that are waiting, and stops listening. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#pollTimer);
    await this.#sending;
    await this.#listening;
  }

  #enqueue(entry: string): void {
    if (this.#closing.signal.aborted) return;
    this.#unsent.add(entry);
    this.#sending ??= this.#sendBatches();
  }

  async #sendBatches(): Promise<void> {
    const { signal } = this.#closing;
    const opened = await this.#database.whenOpened();
    while (this.#unsent.size > 0) {
      const entries = this.#unsent;
      this.#unsent = new Set();
      if (opened?.isShared !== true) break;
      await this.#send(entries).catch((error: unknown) => {
        this.#logger.debug(
          { err: error },
          'Other processes could not be notified of changes; they find them by polling',
        );
      });
      // The signal ends the delay, so that closing sends the last batch at once.
      await delay(batchMs, undefined, { signal, ref: false }).catch(() => {});
    }
    this.#sending = undefined;
  }

  async #send(entries: ReadonlySet<string>): Promise<void> {
    const payloads = toPayloads(this.#origin, entries);
    await this.#database.run((db) =>
      sql`select pg_notify(${this.#channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(db),
    );
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    const opened = await this.#database.whenOpened();
    if (opened === undefined || signal.aborted) return;
    this.#pollTimer = setInterval(() => void this.#poll(opened), pollMs).unref();
    await listen(opened, {
      channel: this.#channel,
      signal,
      onNotification: (payload) => this.#receive(payload),
      onListening: () => {
        this.#executions.notifyAll();
        this.#streams.notifyAll();
        this.#notifyDue();
      },
      onError: (error) => this.#logger.debug({ err: error }, 'No connection listens for changes; retrying'),
    });
  }

  #receive(payload: string): void {
    const [origin, ...entries] = JSON.parse(payload) as readonly string[];
    if (origin === this.#origin) return;
    for (const entry of entries) {
      const id = entry.slice(1);
      if (entry === anyDue) this.#notifyDue();
      else if (entry.startsWith(prefixes.stream)) this.#streams.notify(id, 'commit');
      else this.#executions.notify(id, entry.startsWith(prefixes.signal) ? 'signal' : 'commit');
    }
  }

  #notifyDue(): void {
    for (const listener of Array.from(this.#dueListeners)) listener();
  }

  /** In a database that is not shared, only the expiry of a stream's lease is not notified. */
  async #poll({ isShared }: OpenedPool): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      if (isShared) await this.#executions.poll();
      await this.#streams.poll();
    } catch (error) {
      this.#logger.debug({ err: error }, 'The database could not be polled for changes');
    }
    this.#isPolling = false;
  }
}

/** The expiry of a lease is part of the state, because no process writes it. */
function streamState({ shiftMs }: Database): RawBuilder<string> {
  const hasExpired = sql`lease_until <= extract(epoch from clock_timestamp()) * 1000 + ${shiftMs}::bigint`;
  return sql`concat(status, ' ', chunk_count, ' ', is_stop_requested, ' ', ${hasExpired})`;
}

async function readStates(
  database: Database,
  table: 'executions' | 'streams',
  ids: readonly string[],
  state: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read((db) =>
    db
      .selectFrom(table)
      .select(['id', sql<string>`${state}`.as('state')])
      .where(isOneOf('id', ids.map(toText)))
      .execute(),
  );
  return new Map(rows.map((row) => [fromText(row.id), row.state]));
}

/** JSON lists of at most {@link maxPayloadBytes}, each with the origin first. */
function toPayloads(origin: string, entries: ReadonlySet<string>): readonly string[] {
  const payloads: string[] = [];
  let batch = [origin];
  let bytes = 0;
  for (const entry of entries) {
    const entryBytes = Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (bytes + entryBytes > maxPayloadBytes) {
      payloads.push(JSON.stringify(batch));
      batch = [origin];
      bytes = 0;
    }
    batch.push(entry);
    bytes += entryBytes;
  }
  payloads.push(JSON.stringify(batch));
  return payloads;
}
