import { Worker } from 'node:worker_threads';
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import type { WorkerAnswer, WorkerRequest } from './worker-messages.ts';

/** Sources have their types stripped by Node, the built package has none. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './database-thread.ts' : './database-thread.js',
  import.meta.url,
);

/** SQLSTATE of a server that is told to stop. */
const shutDown = '57P01';

type Answered = PromiseWithResolvers<Extract<WorkerAnswer, { readonly rows: unknown }>>;

/**
 * An embedded database behind the face of a pool: it has one session, which is handed to one at a time. Does not keep the process alive while nothing is asked
 * of it.
 */
export class EmbeddedPool implements PostgresPool {
  readonly #worker: Worker;
  readonly #asked = new Map<number, Answered>();
  #count = 0;
  #last: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  readonly options: PostgresPool['options'] = {};

  /** @param dataDir a directory, or `memory://`. */
  constructor(dataDir: string) {
    this.#worker = new Worker(threadFile, { workerData: { dataDir } });
    this.#worker.unref();
    this.#worker.on('message', (answer: WorkerAnswer) => this.#answered(answer));
    this.#worker.on('error', (error: Error) => this.#failed(error));
    this.#worker.on('exit', () =>
      this.#failed(
        new EmbeddedDatabaseError({ message: 'The thread of the embedded database has ended', code: shutDown }),
      ),
    );
  }

  async connect(): Promise<PostgresPoolClient> {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return new EmbeddedSession((text, values) => this.#ask({ text, values }), release);
  }

  async end(): Promise<void> {
    await this.#last;
    await this.#ask({}).catch(() => {});
    await this.#worker.terminate();
  }

  async #ask(request: Omit<WorkerRequest, 'id'>): Promise<Extract<WorkerAnswer, { readonly rows: unknown }>> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#count += 1;
    const id = this.#count;
    const asked: Answered = Promise.withResolvers();
    if (this.#asked.size === 0) this.#worker.ref();
    this.#asked.set(id, asked);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage({ id, ...request });
    return asked.promise;
  }

  #answered(answer: WorkerAnswer): void {
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if (this.#asked.size === 0) this.#worker.unref();
    if ('failure' in answer) asked?.reject(new EmbeddedDatabaseError(answer.failure));
    else asked?.resolve(answer);
  }

  #failed(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}

type Ask = (text: string, values: readonly unknown[]) => Promise<Extract<WorkerAnswer, { readonly rows: unknown }>>;

class EmbeddedSession implements PostgresPoolClient {
  readonly #ask: Ask;
  readonly release: () => void;

  constructor(ask: Ask, release: () => void) {
    this.#ask = ask;
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
    const { affectedRows, rows } = await this.#ask(text, values);
    return { command: commandOf(text), rowCount: affectedRows, rows: rows as Row[] };
  }
}

/** The builder of queries counts rows by it. */
function commandOf(text: string): PostgresQueryResult<unknown>['command'] {
  const command =
    /\b(insert into|update|delete from|merge into)\b(?!.*\b(?:insert into|update|delete from|merge into)\b)/is.exec(
      text,
    )?.[1];
  switch (command?.split(' ')[0]?.toUpperCase()) {
    case 'INSERT':
      return 'INSERT';
    case 'UPDATE':
      return 'UPDATE';
    case 'DELETE':
      return 'DELETE';
    case 'MERGE':
      return 'MERGE';
    default:
      return 'SELECT';
  }
}
