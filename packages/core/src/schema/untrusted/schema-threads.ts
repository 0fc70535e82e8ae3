import { InvalidInputError, UnavailableError } from '@halyard/contracts';
import { LRUCache } from 'lru-cache';
import { FairQueue } from '../../services/fair-queue.ts';
import { RunningThread, type ThreadLimits } from './running-thread.ts';
import type { SchemaReply, SchemaTask } from './schema-thread.ts';

export interface SchemaThreadsOptions extends ThreadLimits {
  /** How long a thread without tasks waits for one until it ends. */
  readonly idleMs: number;
  /** A caller is slow for a while after a task that took longer. */
  readonly slowMs: number;
}

interface WaitingTask {
  readonly task: SchemaTask;
  readonly caller: string;
  readonly signal: AbortSignal | undefined;
  readonly result: PromiseWithResolvers<SchemaReply>;
}

/**
 * How many threads callers use at the same time: all together, those that are not known to be quick, and the slow ones. So one thread
 * is free for those whose schemas are quick, however many others there are.
 */
const threadsOf = { quick: 3, unknown: 2, slow: 1 } as const;
const slowForMs = 600_000;

/**
 * Threads that check schemas of clients. They start when there is work, and end after a while without any. Callers take turns, and each
 * of them uses one thread at a time.
 */
export class SchemaThreads {
  readonly #options: SchemaThreadsOptions;
  readonly #waiting = new FairQueue<WaitingTask>();
  readonly #busyCallers = new Set<string>();
  readonly #speeds = new LRUCache<string, 'quick' | 'slow'>({ max: 10_000 });
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
    while (this.#isClosed || this.#idle.size > 0 || this.#threads.size < threadsOf.quick) {
      const next = this.#waiting.take((caller) => this.#mayStart(caller));
      if (next === undefined) return;
      const { result, signal } = next;
      if (this.#isClosed) result.reject(new UnavailableError('SHUTTING_DOWN', 'The server is shutting down'));
      else if (signal?.aborted === true) result.reject(signal.reason);
      else void this.#run(next);
    }
  }

  #mayStart(caller: string): boolean {
    if (this.#isClosed) return true;
    if (this.#busyCallers.has(caller)) return false;
    const threads = this.#threadsOf(caller);
    return [...this.#busyCallers].filter((busy) => this.#threadsOf(busy) <= threads).length < threads;
  }

  #threadsOf(caller: string): number {
    return threadsOf[this.#speeds.get(caller) ?? 'unknown'];
  }

  #noteTime(caller: string, tookMs: number): void {
    if (tookMs > this.#options.slowMs) this.#speeds.set(caller, 'slow', { ttl: slowForMs });
    else if (!this.#speeds.has(caller)) this.#speeds.set(caller, 'quick');
  }

  async #run({ caller, result, task }: WaitingTask): Promise<void> {
    const thread = this.#idleThread() ?? this.#startThread();
    this.#busyCallers.add(caller);
    try {
      const reply = await thread.run(task);
      this.#setIdle(thread);
      this.#noteTime(caller, reply.tookMs);
      result.resolve(reply);
    } catch (error) {
      this.#noteTime(caller, Infinity);
      // A limit has ended the thread. Another one loads while those of other callers remain free.
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
