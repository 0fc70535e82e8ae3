import { InvalidInputError, UnavailableError } from '@halyard/contracts';
import { FairQueue } from '../../services/fair-queue.ts';
import { RunningThread, type ThreadLimits } from './running-thread.ts';
import type { SchemaReply, SchemaTask } from './schema-thread.ts';

export interface SchemaThreadsOptions extends ThreadLimits {
  /** How long a thread without tasks waits for one until it ends. */
  readonly idleMs: number;
}

interface WaitingTask {
  readonly task: SchemaTask;
  readonly caller: string;
  readonly signal: AbortSignal | undefined;
  readonly result: PromiseWithResolvers<SchemaReply>;
}

const maxThreads = 3;

/**
 * Threads that check schemas of clients. They start when there is work, and end after a while
 * without any. Each caller uses one thread at a time, so a caller with slow schemas leaves the
 * others to those of other callers.
 */
export class SchemaThreads {
  readonly #options: SchemaThreadsOptions;
  readonly #waiting = new FairQueue<WaitingTask>();
  readonly #busyCallers = new Set<string>();
  readonly #threads = new Set<RunningThread>();
  /** With the timer that ends the thread. The thread that has worked last is the last one. */
  readonly #idle = new Map<RunningThread, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: SchemaThreadsOptions) {
    this.#options = options;
  }

  /**
   * @param signal ends the waiting; a task that has started is completed.
   * @throws InvalidInputError when the task exceeds a limit, UnavailableError after {@link close}.
   */
  run(
    task: SchemaTask,
    { caller, signal }: { readonly caller: string; readonly signal?: AbortSignal | undefined },
  ): Promise<SchemaReply> {
    const result = Promise.withResolvers<SchemaReply>();
    this.#waiting.add(caller, { task, caller, signal, result });
    this.#startNext();
    return result.promise;
  }

  /** Ends all threads. Their tasks, and those that are waiting, fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#startNext();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #startNext(): void {
    while (this.#isClosed || this.#idle.size > 0 || this.#threads.size < maxThreads) {
      const next = this.#waiting.take((caller) => this.#isClosed || !this.#busyCallers.has(caller));
      if (next === undefined) return;
      const { result, signal } = next;
      if (this.#isClosed) result.reject(new UnavailableError('SHUTTING_DOWN', 'The server is shutting down'));
      else if (signal?.aborted === true) result.reject(signal.reason);
      else void this.#run(next);
    }
  }

  async #run({ caller, result, task }: WaitingTask): Promise<void> {
    const thread = this.#idleThread() ?? this.#startThread();
    this.#busyCallers.add(caller);
    try {
      const reply = await thread.run(task);
      this.#setIdle(thread);
      result.resolve(reply);
    } catch (error) {
      // A limit has ended the thread: another one loads for the next task.
      if (error instanceof InvalidInputError && !this.#isClosed) this.#setIdle(this.#startThread());
      result.reject(error);
    } finally {
      this.#busyCallers.delete(caller);
      this.#startNext();
    }
  }

  #startThread(): RunningThread {
    const thread = new RunningThread(this.#options);
    this.#threads.add(thread);
    void thread.ended.then(() => {
      this.#threads.delete(thread);
      this.#forgetIdle(thread);
      this.#startNext();
    });
    return thread;
  }

  #idleThread(): RunningThread | undefined {
    const thread = [...this.#idle.keys()].at(-1);
    if (thread !== undefined) this.#forgetIdle(thread);
    return thread;
  }

  #setIdle(thread: RunningThread): void {
    const end = (): void => {
      this.#forgetIdle(thread);
      void thread.end();
    };
    this.#idle.set(thread, setTimeout(end, this.#options.idleMs).unref());
  }

  #forgetIdle(thread: RunningThread): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }
}
