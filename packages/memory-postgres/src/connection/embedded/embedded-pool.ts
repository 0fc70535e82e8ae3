import { Worker } from 'node:worker_threads';
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { ThreadOptions, WorkerFailure, WorkerReply, WorkerRequest, WorkerResult } from './database-thread.ts';

/** Node runs the TypeScript sources directly; the built package has JavaScript. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './database-thread.ts' : './database-thread.js',
  import.meta.url,
);

/** SQLSTATE of a server that is shutting down. */
const adminShutdown = '57P01';

/** An error of the embedded database. It has the fields that errors of `pg` have. */
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

/**
 * An embedded database (PGlite) in a worker thread, with the interface of a pool. It has one session, which one client uses at a time. An idle database does not
 * keep the process alive.
 */
export class EmbeddedPool implements PostgresPool {
  readonly options: PostgresPool['options'] = {};
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<WorkerResult>>();
  #lastId = 0;
  #lastReleased: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  constructor(options: ThreadOptions) {
    // Code of `node --eval` may need this flag, but Node rejects it for the file of a thread.
    const execArgv = process.execArgv.filter((flag) => !flag.startsWith('--input-type='));
    this.#worker = new Worker(threadFile, { execArgv, workerData: options });
    this.#worker.unref();
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () =>
      this.#fail(
        new EmbeddedDatabaseError({ message: 'The thread of the embedded database has ended', code: adminShutdown }),
      ),
    );
  }

  async connect(): Promise<PostgresPoolClient> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const previous = this.#lastReleased;
    this.#lastReleased = released;
    await previous;
    return new EmbeddedClient((text, values) => this.#send({ text, values }), release);
  }

  async end(): Promise<void> {
    await this.#lastReleased;
    await this.#send({}).catch(() => {});
    await this.#worker.terminate();
  }

  async #send(request: Omit<WorkerRequest, 'id'>): Promise<WorkerResult> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#lastId += 1;
    const id = this.#lastId;
    const result = Promise.withResolvers<WorkerResult>();
    if (this.#pending.size === 0) this.#worker.ref();
    this.#pending.set(id, result);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage({ id, ...request } satisfies WorkerRequest);
    return result.promise;
  }

  #settle(reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ('failure' in reply) pending?.reject(new EmbeddedDatabaseError(reply.failure));
    else pending?.resolve(reply);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
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
    // PGlite does not report the command. Kysely uses it only to decide whether `rowCount` is the number of changed rows.
    return { command: 'UPDATE', rowCount: affectedRows, rows: rows as Row[] };
  }
}
