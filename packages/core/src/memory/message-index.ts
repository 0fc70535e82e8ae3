import { type ConversationStore, isHalyardError, type Logger, type VectorStore } from '@halyard/contracts';
import type { Embedder } from './embedder.ts';
import { IndexJob, IndexQueue } from './index-queue.ts';
import { MessageIndexer } from './message-indexer.ts';

export interface MessageIndexOptions {
  readonly conversations: ConversationStore;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  readonly logger: Logger;
}

/** How many messages may wait, and how many are embedded together. */
const greatestQueue = 50_000;
const batchSize = 500;

/** A pass that fails so often in a row has met no odd text, but a model or a store that does not answer. */
const failuresInARow = 3;
const firstDelayMs = 1000;
const longestDelayMs = 300_000;
/** Attempts where the failure says that it will not pass, and where it does not. */
const [mostAttempts, mostHopefulAttempts] = [5, 20];

/**
 * Keeps the vectors of messages in step with the messages, beside requests: what is added is read when its turn comes, embedded in batches and written.
 * What fails is logged and tried again.
 */
export class MessageIndex {
  readonly #indexer: MessageIndexer;
  readonly #logger: Logger;
  readonly #queue = new IndexQueue(greatestQueue);
  #pass: Promise<void> | undefined;
  /** The last pass gave up. */
  #isAway = false;
  #delayMs = firstDelayMs;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ conversations, vectors, embedder, logger }: MessageIndexOptions) {
    this.#indexer = new MessageIndexer(conversations, vectors, embedder, (id, messageIds) => this.add(id, messageIds));
    this.#logger = logger;
  }

  /** Messages that were written or deleted. */
  add(conversationId: string, messageIds: readonly string[]): void {
    this.#addAll(messageIds.map((messageId) => new IndexJob(conversationId, messageId)));
  }

  /** All messages of a conversation, as it is then. */
  addConversation(conversationId: string): void {
    this.#addAll([new IndexJob(conversationId, undefined)]);
  }

  /** Of messages that are there no more. What fails is logged and tried again. */
  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    try {
      await this.#indexer.deleteMessages(conversationId, messageIds);
    } catch (error) {
      this.#logger.warn({ err: error, conversationId }, 'vectors could not be deleted; it is tried again');
      this.add(conversationId, messageIds);
    }
  }

  /** Of one that is there no more. What fails is logged and tried again. */
  async deleteConversation(conversationId: string): Promise<void> {
    try {
      await this.#indexer.deleteConversation(conversationId);
    } catch (error) {
      this.#logger.warn({ err: error, conversationId }, 'vectors could not be deleted; it is tried again');
      this.addConversation(conversationId);
    }
  }

  async deleteUser(userId: string): Promise<void> {
    await this.#indexer.deleteUser(userId);
  }

  /** Resolves when everything that waits was tried. */
  async flush(): Promise<void> {
    await this.#pass;
    this.#queue.bringBack();
    await this.#start();
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { size } = this.#queue;
    if (size > 0) this.#logger.error({ jobs: size }, 'messages were not indexed before the memory was closed');
  }

  #addAll(jobs: readonly IndexJob[]): void {
    if (jobs.length === 0) return;
    const refused = this.#isClosed ? jobs : jobs.filter((job) => !this.#queue.add(job));
    if (refused.length > 0) {
      this.#logger.error({ jobs: refused.length }, 'messages are not indexed: too many wait, or the memory is closed');
    }
    if (!this.#isAway && this.#pass === undefined) setImmediate(() => void this.#start());
  }

  #start(): Promise<void> {
    this.#pass ??= this.#runPasses();
    return this.#pass;
  }

  async #runPasses(): Promise<void> {
    do {
      await this.#runPass();
      // Something may have come when the pass had seen that nothing was left.
    } while (this.#queue.isWaiting && !this.#isAway);
    this.#pass = undefined;
  }

  async #runPass(): Promise<void> {
    let failures = 0;
    while (failures < failuresInARow) {
      const jobs = this.#queue.take(batchSize);
      if (jobs.length === 0) break;
      failures = (await this.#succeeds(jobs)) ? 0 : failures + 1;
    }
    this.#isAway = failures === failuresInARow;
    if (this.#queue.size === 0) this.#forgetFailures();
    else this.#tryLater();
  }

  #forgetFailures(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#delayMs = firstDelayMs;
  }

  #tryLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#queue.bringBack();
      void this.#start();
    }, this.#delayMs);
    // A script that is done need not wait for it.
    this.#timer.unref();
    this.#delayMs = Math.min(longestDelayMs, this.#delayMs * 2);
  }

  async #succeeds(jobs: readonly IndexJob[]): Promise<boolean> {
    try {
      await this.#indexer.index(jobs);
      return true;
    } catch (error) {
      const most = isHopeless(error) ? mostAttempts : mostHopefulAttempts;
      for (const job of jobs) job.failures += 1;
      const givenUp = jobs.filter(({ failures }) => failures >= most);
      for (const job of jobs) if (job.failures < most) this.#queue.putOff(job);
      if (givenUp.length < jobs.length)
        this.#logger.warn({ err: error, jobs: jobs.length }, 'messages could not be indexed; they are tried again');
      if (givenUp.length > 0)
        this.#logger.error({ err: error, givenUp: givenUp.slice(0, 10) }, 'messages are not indexed');
      return false;
    }
  }
}

/** Whether the provider says that another attempt is useless, or the store will never have it. */
function isHopeless(error: unknown): boolean {
  if (!isHalyardError(error)) return false;
  const { cause, code } = error;
  if (code === 'INVALID_CONFIGURATION') return true;
  return typeof cause === 'object' && cause !== null && 'isRetryable' in cause && cause.isRetryable === false;
}
