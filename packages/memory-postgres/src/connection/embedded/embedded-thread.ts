import { Worker } from 'node:worker_threads';
import type { ThreadOptions, WorkerReply, WorkerRequest, WorkerResult } from './database-thread.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';

/** Node runs the TypeScript sources directly; the built package has JavaScript. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './database-thread.ts' : './database-thread.js',
  import.meta.url,
);

/**
 * A thread with an embedded database. It does not keep the process alive while it has nothing to
 * do. Once it has failed, it no longer responds.
 */
export class EmbeddedThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<WorkerResult>>();
  readonly #onFailure: (error: Error) => void;
  #lastId = 0;
  #failure: Error | undefined;
  #isClosed = false;
  #wasOpen = false;

  /** @param onFailure is called when the database was not opened, or has ended by itself. */
  constructor(options: ThreadOptions, onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    // Code of `node --eval` may need this flag, but Node rejects it for the file of a thread.
    const execArgv = process.execArgv.filter((flag) => !flag.startsWith('--input-type='));
    this.#worker = new Worker(threadFile, { execArgv, workerData: options });
    this.#worker.unref();
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on('error', ({ message }: Error) => this.fail(message));
    this.#worker.on('exit', () => this.fail('The thread of the embedded database has ended'));
  }

  /** Why the database no longer responds. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Whether the database has been opened. */
  get wasOpen(): boolean {
    return this.#wasOpen;
  }

  async send(request: Omit<WorkerRequest, 'id'>): Promise<WorkerResult> {
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

  /** Rejects all queries. */
  fail(reason: string): void {
    this.#fail(new EmbeddedDatabaseError({ message: reason, isFatal: true }));
  }

  /** Ends the thread at once, whatever it is doing. */
  async terminate(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }

  /** Closes the database, unless it has failed, and ends the thread. */
  async close(): Promise<void> {
    if (this.#failure === undefined) await this.send({}).catch(() => {});
    await this.terminate();
  }

  #settle(reply: WorkerReply): void {
    if ('ended' in reply) {
      this.fail(`The embedded database has ended: ${reply.ended}`);
      return;
    }
    const pending = this.#pending.get(reply.id);
    // It was rejected when the database ended. Waiting for the end of the thread keeps the process
    // alive.
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if (!('failure' in reply)) {
      this.#wasOpen = true;
      pending.resolve(reply);
      return;
    }
    const error = new EmbeddedDatabaseError(reply.failure);
    pending.reject(error);
    if (reply.failure.isFatal === true) this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#worker.unref();
    if (!this.#isClosed) this.#onFailure(error);
  }
}
