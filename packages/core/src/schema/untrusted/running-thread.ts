import { Worker } from 'node:worker_threads';
import { ConfigurationError, InvalidInputError, UnavailableError } from '@halyard/contracts';
import { SCHEMA_AT } from './check-untrusted-schema.ts';
import type { SchemaReply, SchemaTask, ThreadMessage } from './schema-thread.ts';

export interface ThreadLimits {
  /** How long one task may take. */
  readonly timeLimitMs: number;
  /** How much memory the objects of a thread may take. */
  readonly memoryLimitMb: number;
}

/** How long a thread may take to load its code, on a busy machine too. */
const startLimitMs = 60_000;
const youngGenerationMb = 16;

/** Node runs the TypeScript sources directly; the built package has JavaScript. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './schema-thread.ts' : './schema-thread.js',
  import.meta.url,
);

/**
 * A thread that checks schemas, one task at a time. A task that exceeds the limits ends the thread.
 * An idle thread does not keep the process alive.
 */
export class RunningThread {
  readonly #timeLimitMs: number;
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();
  #isReady = false;
  #task: PromiseWithResolvers<SchemaReply> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why it ends. */
  #failure: Error | undefined;

  constructor({ memoryLimitMb, timeLimitMs }: ThreadLimits) {
    this.#timeLimitMs = timeLimitMs;
    this.#worker = new Worker(threadFile, {
      // Without the modules that the app preloads, and without flags that Node rejects for threads.
      execArgv: conditionFlags(process.execArgv),
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: youngGenerationMb },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: ThreadMessage) => this.#receive(message));
    this.#worker.on('error', (error: Error) => (this.#failure ??= this.#toFailure(error)));
    this.#worker.on('exit', () => this.#exit());
  }

  /** Resolves when it has ended, for any reason. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * @throws InvalidInputError when the task exceeds a limit, UnavailableError when the thread is
   * ended.
   */
  run(task: SchemaTask): Promise<SchemaReply> {
    const settlers = Promise.withResolvers<SchemaReply>();
    this.#task = settlers;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(task);
    this.#worker.ref();
    this.#limit(this.#isReady ? this.#timeLimitMs : startLimitMs);
    return settlers.promise;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(message: ThreadMessage): void {
    if (message === 'ready') {
      this.#isReady = true;
      if (this.#task !== undefined) this.#limit(this.#timeLimitMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#worker.unref();
    this.#task?.resolve(message);
    this.#task = undefined;
  }

  #limit(limitMs: number): void {
    clearTimeout(this.#timer);
    const task = this.#task;
    this.#timer = setTimeout(() => {
      // After a pause of the process, a reply that has arrived is read before the limit counts.
      setImmediate(() => {
        if (this.#task !== task) return;
        this.#failure ??= this.#isReady ? tooSlow() : startFailure();
        void this.end();
      });
    }, limitMs);
  }

  #toFailure(error: Error): Error {
    const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isOutOfMemory) return new InvalidInputError(`${SCHEMA_AT} takes too much memory to check`, { cause: error });
    return this.#isReady ? error : startFailure(error);
  }

  #exit(): void {
    clearTimeout(this.#timer);
    this.#task?.reject(this.#failure ?? new UnavailableError('SHUTTING_DOWN', 'The server is shutting down'));
    this.#task = undefined;
    this.#ended.resolve();
  }
}

/** The flags that choose the exports of packages. Their value may be an argument of its own. */
function conditionFlags(flags: readonly string[]): string[] {
  const isFlag = (flag = ''): boolean => flag === '--conditions' || flag === '-C';
  return flags.filter((flag, index) => isFlag(flag) || isFlag(flags[index - 1]) || flag.startsWith('--conditions='));
}

function tooSlow(): Error {
  return new InvalidInputError(`${SCHEMA_AT} takes too long to check`);
}

function startFailure(cause?: Error): Error {
  return new ConfigurationError(
    'The thread that checks schemas of clients did not start. Its file is next to those of @halyard/core: do not bundle that package',
    { cause },
  );
}
