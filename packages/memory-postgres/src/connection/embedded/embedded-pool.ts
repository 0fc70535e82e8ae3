import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Probing } from '../silence-watch.ts';
import type { ThreadOptions, WorkerResult } from './database-thread.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { EmbeddedThread } from './embedded-thread.ts';

/** How long a statement may take that is in the way of others. As long as on a server. */
const statementTimeoutMs = 30_000;
/**
 * How long after a failure to open the database it is opened again. Calls in between are rejected
 * at once.
 */
const reopenMs = 1_000;

/**
 * An embedded database (PGlite) in a worker thread, with the interface of a pool. It has one
 * session, which one client uses at a time. An idle database does not keep the process alive.
 *
 * PGlite cannot end a failed database as a server can: after a failed write of its log it answers
 * nothing, and occupies its thread for ever. Then a new thread opens the directory, which recovers
 * the committed data.
 */
export class EmbeddedPool implements PostgresPool, Probing {
  readonly options: PostgresPool['options'] = {};
  readonly #options: ThreadOptions;
  readonly #listeners = new Set<(error: Error) => void>();
  #thread: EmbeddedThread;
  /** Resolves to the thread once the one before it has ended: two would destroy the directory. */
  #current: Promise<EmbeddedThread>;
  #lastReleased: Promise<void> = Promise.resolve();
  #wasOpen = false;
  /** The database could not be opened a moment ago. */
  #isWaiting = false;
  #isEnded = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#thread = this.#start();
    this.#current = Promise.resolve(this.#thread);
  }

  /**
   * Calls the listener when the database has ended by itself. @returns a function that removes the
   * listener.
   */
  onError(listener: (error: Error) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async connect(): Promise<PostgresPoolClient> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const previous = this.#lastReleased;
    this.#lastReleased = released;
    await previous;
    try {
      const thread = await this.#usableThread();
      // A client stays with its thread, because a transaction does not continue in another one.
      return new EmbeddedClient((text, values) => thread.send({ text, values }), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves when the database responds, even with an error. */
  async probe(timeoutMs: number = statementTimeoutMs): Promise<void> {
    const thread = await this.#usableThread();
    const responded = thread.send({ text: 'select 1' }).catch(() => {});
    const timer = new AbortController();
    const silent = delay(timeoutMs, 'silent', { signal: timer.signal, ref: false }).catch(() => {});
    const first = await Promise.race([responded, silent]);
    timer.abort();
    if (first === 'silent') throw new EmbeddedDatabaseError({ message: 'The embedded database does not respond' });
    if (thread.failure !== undefined) throw thread.failure;
  }

  /** Ends the thread, so that its queries reject. The next query opens the database again. */
  closeConnections(): void {
    this.#thread.fail('The embedded database did not respond, so that its thread was ended');
  }

  async end(): Promise<void> {
    await this.#lastReleased;
    this.#isEnded = true;
    const thread = await this.#current;
    await thread.close();
  }

  /**
   * The thread, or a new one if it has failed. The failed one, which rejects, if it could not open
   * the database a moment ago.
   */
  #usableThread(): Promise<EmbeddedThread> {
    this.#current = this.#current.then(async (thread) => {
      if (thread.failure === undefined || this.#isWaiting || this.#isEnded) return thread;
      await thread.terminate();
      return this.#start();
    });
    return this.#current;
  }

  #start(): EmbeddedThread {
    const thread = new EmbeddedThread(this.#options, (error) => {
      this.#wasOpen ||= thread.wasOpen;
      if (!thread.wasOpen) this.#wait();
      // Before that, a query rejects with the reason, and the caller that opens the database
      // reports it.
      if (!this.#wasOpen) return;
      for (const listener of this.#listeners) listener(error);
    });
    this.#thread = thread;
    return thread;
  }

  #wait(): void {
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
    }, reopenMs).unref();
  }
}

class EmbeddedClient implements PostgresPoolClient {
  readonly #send: (text: string, values: readonly unknown[]) => Promise<WorkerResult>;
  readonly release: () => void;

  constructor(send: (text: string, values: readonly unknown[]) => Promise<WorkerResult>, release: () => void) {
    this.#send = send;
    this.release = release;
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    text: string | PostgresCursor<Row>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof text !== 'string') throw new EmbeddedDatabaseError({ message: 'An embedded database has no cursors' });
    return this.#query<Row>(text, values);
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const { affectedRows, rows } = await this.#send(text, values);
    // PGlite does not report the command. Kysely uses it only to decide whether `rowCount` is the
    // number of changed rows.
    return { command: 'UPDATE', rowCount: affectedRows, rows: rows as Row[] };
  }
}
