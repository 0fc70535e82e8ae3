import { type ConversationStore, isHalyardError, type Logger, type VectorStore } from '@halyard/contracts';
import { loggedRunError } from '../../model/providers/provider-failure.ts';
import type { Embedder } from './embedder.ts';
import { type IndexJob, IndexQueue } from './index-queue.ts';
import { MessageIndexer } from './message-indexer.ts';

export interface MessageIndexOptions {
  readonly conversations: ConversationStore;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  readonly logger: Logger;
}

type IndexedConversation = Pick<IndexJob, 'conversationId' | 'userId'>;

const maxWaiting = 50_000;
/** How many messages are embedded together. */
const batchSize = 500;

/**
 * After so many failures in a row, the cause is not a single message: the model or the store does
 * not respond, and the pass ends.
 */
const maxFailuresInARow = 3;
const firstDelayMs = 1000;
const maxDelayMs = 300_000;
/** Attempts for failures that are permanent, as far as the error shows, and for all others. */
const [maxPermanentAttempts, maxAttempts] = [5, 20];

/**
 * Updates the vectors of messages in the background: messages that were written or deleted are
 * queued, read again, embedded in batches and written. Users take turns. Failures are logged and
 * retried.
 */
export class MessageIndex {
  readonly #indexer: MessageIndexer;
  readonly #logger: Logger;
  readonly #queue = new IndexQueue(maxWaiting);
  #pass: Promise<void> | undefined;
  /** Whether the last pass ended because the model or the store did not respond. */
  #isUnavailable = false;
  #delayMs = firstDelayMs;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ conversations, vectors, embedder, logger }: MessageIndexOptions) {
    const onChanged = (changed: readonly IndexJob[]): void => this.#addAll(changed);
    this.#indexer = new MessageIndexer({ conversations, vectors, embedder, onChanged });
    this.#logger = logger;
  }

  /** Queues messages that were written or deleted. */
  add({ conversationId, userId }: IndexedConversation, messageIds: readonly string[]): void {
    this.#addAll(messageIds.map((messageId) => ({ userId, conversationId, messageId, failures: 0 })));
  }

  /** Queues all messages of a conversation. */
  addConversation({ conversationId, userId }: IndexedConversation): void {
    this.#addAll([{ userId, conversationId, messageId: undefined, failures: 0 }]);
  }

  /** Deletes the vectors of deleted messages. A failure is logged and retried. */
  async deleteMessages(conversation: IndexedConversation, messageIds: readonly string[]): Promise<void> {
    const { conversationId } = conversation;
    try {
      await this.#indexer.deleteMessages(conversationId, messageIds);
    } catch (error) {
      this.#logger.warn({ err: error, conversationId }, 'vectors could not be deleted; this is retried');
      this.add(conversation, messageIds);
    }
  }

  /** Deletes the vectors of a deleted conversation. A failure is logged and retried. */
  async deleteConversation(conversation: IndexedConversation): Promise<void> {
    const { conversationId } = conversation;
    try {
      await this.#indexer.deleteConversation(conversationId);
    } catch (error) {
      this.#logger.warn({ err: error, conversationId }, 'vectors could not be deleted; this is retried');
      this.addConversation(conversation);
    }
  }

  async deleteUser(userId: string): Promise<void> {
    await this.#indexer.deleteUser(userId);
  }

  /** Resolves when every queued message was tried. */
  async flush(): Promise<void> {
    await this.#pass;
    this.#queue.retryFailed();
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
    const refused = this.#isClosed ? jobs : jobs.flatMap((job) => this.#queue.add(job) ?? []);
    if (refused.length > 0) {
      this.#logger.error(
        { jobs: refused.length },
        'messages are not indexed: the queue is full, or the memory is closed',
      );
    }
    if (!this.#isUnavailable && this.#pass === undefined) setImmediate(() => void this.#start());
  }

  #start(): Promise<void> {
    this.#pass ??= this.#runPasses();
    return this.#pass;
  }

  async #runPasses(): Promise<void> {
    do {
      await this.#runPass();
      // A message may have been added after the pass found the queue empty.
    } while (this.#queue.isWaiting && !this.#isUnavailable);
    this.#pass = undefined;
  }

  async #runPass(): Promise<void> {
    let failures = 0;
    while (failures < maxFailuresInARow) {
      const jobs = this.#queue.take(batchSize);
      if (jobs.length === 0) break;
      failures = (await this.#index(jobs)) ? 0 : failures + 1;
    }
    this.#isUnavailable = failures === maxFailuresInARow;
    if (this.#queue.size === 0) this.#resetDelay();
    else this.#retryLater();
  }

  #resetDelay(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#delayMs = firstDelayMs;
  }

  #retryLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#queue.retryFailed();
      void this.#start();
    }, this.#delayMs);
    // The timer must not keep a finished script running.
    this.#timer.unref();
    this.#delayMs = Math.min(maxDelayMs, this.#delayMs * 2);
  }

  /** @returns whether it succeeded. */
  async #index(jobs: readonly IndexJob[]): Promise<boolean> {
    try {
      this.#addAll(await this.#indexer.index(jobs));
      return true;
    } catch (error) {
      const limit = isPermanent(error) ? maxPermanentAttempts : maxAttempts;
      for (const job of jobs) job.failures += 1;
      const [retried, dropped] = [
        jobs.filter((job) => job.failures < limit),
        jobs.filter((job) => job.failures >= limit),
      ];
      for (const job of retried) this.#queue.retryLater(job);
      if (retried.length > 0)
        this.#logger.warn(
          { ...loggedRunError(error), jobs: jobs.length },
          'messages could not be indexed; this is retried',
        );
      if (dropped.length > 0)
        this.#logger.error({ ...loggedRunError(error), dropped: dropped.slice(0, 10) }, 'messages are not indexed');
      return false;
    }
  }
}

/** Whether the provider reports that a retry is useless, or the configuration makes it fail. */
function isPermanent(error: unknown): boolean {
  if (!isHalyardError(error)) return false;
  const { cause, code } = error;
  if (code === 'INVALID_CONFIGURATION') return true;
  return typeof cause === 'object' && cause !== null && 'isRetryable' in cause && cause.isRetryable === false;
}
