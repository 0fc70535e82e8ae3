import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import { sql } from 'kysely';
import { ArrivalCheck } from './arrival-check.ts';
import type { Database, OpenedPool } from './database.ts';
import { listen, type ListeningConnection } from './listen.ts';
import { executionState, readStates, streamState } from './row-states.ts';
import { type Change, WatchedRows } from './watched-rows.ts';

/** Shortest time between two `NOTIFY` statements. Changes in between are sent together. */
const batchMs = 20;
/** PostgreSQL accepts payloads of up to 8000 bytes. */
const maxPayloadBytes = 7_900;
/** The pause before changes are sent again. */
const retryMs = 1_000;
/**
 * The time between two polls while notifications do not arrive. Also between two of streams: the
 * end of their lease is not notified.
 */
const pollMs = 1_000;
/**
 * The same while they arrive. A notification may be missing because its process could not send it.
 */
const rarePollMs = 30_000;

/**
 * First character of an entry in a payload: a commit or a signal of an execution, any change of a
 * stream, or a check that notifications arrive. The id or the number follows.
 */
const prefixes = { commit: '.', signal: '!', stream: '~', check: '?' } as const;
/** The entry that tells that some execution is due. */
const anyDue = '*';
/** The entry that tells that a process has ended, whose last changes may not have been notified. */
const anyChange = '#';

/**
 * Notifies the processes that share a database of each other's changes. `NOTIFY` carries ids only,
 * in batches, after the change is written. One connection listens. A poll of the watched rows finds
 * changes whose notification was not received: each second while none arrive, for example in a pool
 * of one connection or behind some poolers, and else each 30 seconds.
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
  readonly #sessionListeners = new Set<SessionListener>();
  readonly #closing = new AbortController();
  readonly #now: () => number;
  readonly #arrival: ArrivalCheck;
  #unsent = new Set<string>();
  #sending: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #connection: ListeningConnection | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #isPolling = false;
  #polledAt = -Infinity;

  /** @param options `now`: milliseconds of a clock that never goes back; tests replace it. */
  constructor(
    database: Database,
    options: { readonly logger: Logger; readonly schema: string; readonly now?: () => number },
  ) {
    // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
    const { logger, now = () => performance.now(), schema } = options;
    this.#database = database;
    this.#logger = logger;
    this.#now = now;
    this.#channel = `halyard_${schema}`.slice(0, 63);
    this.#executions = new WatchedRows((ids) => readStates(database, 'executions', ids, executionState));
    this.#streams = new WatchedRows((ids) => readStates(database, 'streams', ids, streamState(database)));
    this.#arrival = new ArrivalCheck({
      now,
      send: (check) => this.#send(new Set([`${prefixes.check}${check}`])),
      onArriving: () => this.#notifySession(this.#connection),
      onSilence: () => this.#connection?.end(),
    });
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

  /**
   * Calls the listener with a connection that has a session of its own, as soon as there is one,
   * and with undefined when it breaks.
   *
   * @returns a function that removes the listener.
   */
  watchSession(listener: SessionListener): () => void {
    this.#listening ??= this.#listen();
    this.#sessionListeners.add(listener);
    if (this.#arrival.isArriving) listener(this.#connection);
    return () => void this.#sessionListeners.delete(listener);
  }

  /** Some execution is due. */
  announceDue(): void {
    this.#notifyDue();
    this.#enqueue(anyDue);
  }

  /** A process has ended, so that any execution may be due or have changed. */
  announceEnd(): void {
    this.announceDue();
    this.#pollSoon();
    this.#enqueue(anyChange);
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
      let waitMs = batchMs;
      try {
        await this.#send(entries);
      } catch (error) {
        this.#logger.debug({ err: error }, 'Other processes could not be notified of changes; retrying');
        if (signal.aborted) break;
        this.#unsent = this.#unsent.union(entries);
        waitMs = retryMs;
      }
      // The signal ends the delay, so that closing sends the last batch at once.
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {});
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
    this.#pollTimer = setInterval(() => {
      this.#arrival.tick();
      void this.#poll(opened);
    }, pollMs).unref();
    await listen(opened, {
      channel: this.#channel,
      signal,
      onNotification: (payload) => this.#receive(payload),
      onListening: (connection) => {
        this.#connection = connection;
        this.#arrival.listening();
        this.#pollSoon();
        void this.#poll(opened);
        this.#notifyDue();
      },
      onBroken: () => {
        this.#connection = undefined;
        this.#arrival.broken();
        this.#notifySession(undefined);
      },
      onError: (error) => this.#logger.debug({ err: error }, 'No connection listens for changes; retrying'),
    });
  }

  #receive(payload: string): void {
    const [origin, ...entries] = JSON.parse(payload) as readonly string[];
    const isOwn = origin === this.#origin;
    for (const entry of entries) {
      const id = entry.slice(1);
      if (entry.startsWith(prefixes.check)) {
        if (isOwn) this.#arrival.received(Number(id));
      } else if (isOwn) continue;
      else if (entry === anyDue) this.#notifyDue();
      else if (entry === anyChange) this.#pollSoon();
      else if (entry.startsWith(prefixes.stream)) this.#streams.notify(id, 'commit');
      else this.#executions.notify(id, entry.startsWith(prefixes.signal) ? 'signal' : 'commit');
    }
  }

  #notifyDue(): void {
    for (const listener of Array.from(this.#dueListeners)) listener();
  }

  #notifySession(connection: ListeningConnection | undefined): void {
    for (const listener of Array.from(this.#sessionListeners)) listener(connection);
  }

  /** The next poll reads the executions, too. */
  #pollSoon(): void {
    this.#polledAt = -Infinity;
  }

  /** In a database that is not shared, only the expiry of a stream's lease is not notified. */
  async #poll({ isShared }: OpenedPool): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      if (isShared && this.#mustPoll()) {
        this.#polledAt = this.#now();
        await this.#executions.poll();
      }
      await this.#streams.poll();
    } catch (error) {
      this.#pollSoon();
      this.#logger.debug({ err: error }, 'The database could not be polled for changes');
    }
    this.#isPolling = false;
  }

  #mustPoll(): boolean {
    return !this.#arrival.isArriving || this.#now() - this.#polledAt >= rarePollMs;
  }
}

type SessionListener = (connection: ListeningConnection | undefined) => void;

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
