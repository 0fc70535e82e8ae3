import type { Clock, Ids, Logger, Owner, StreamKey, StreamStore } from '@halyard/contracts';
import type { BusyPolicy } from '../../agent/agent-options.ts';
import { finishesWithin } from '../../async/finishes-within.ts';
import { SharedInterval } from '../../async/shared-interval.ts';
import { ConversationLock } from '../../conversation/lock/conversation-lock.ts';
import type { HeldLock } from '../../conversation/lock/held-lock.ts';
import type { UIMessage, UIMessageChunk } from '../../model/messages/message.ts';
import { executionOfStream } from '../durable/chat-stream.ts';
import type { DurableChats } from '../durable/durable-chats.ts';
import { followStream } from './follow-stream.ts';
import { replayMessage } from './replay-message.ts';
import { StreamWriter } from './stream-writer.ts';

export interface ResumableChatsOptions {
  readonly store: StreamStore;
  /** Follows the durable replies, which are in the same store. */
  readonly durable: Pick<DurableChats, 'follow'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** How long the stream of a writer that died counts as live. */
  readonly leaseMs: number;
  /** How long a reply waits while its conversation has a run. */
  readonly queueWaitMs: number;
  readonly isDraining: () => boolean;
  /**
   * The error with which waiting chats are rejected, and running ones are stopped, at a shutdown.
   */
  readonly shutdownError: () => Error;
  /**
   * Counts a reply against the limits of its caller.
   *
   * @returns a function that ends that.
   * @throws when there are too many.
   */
  readonly reserve: (callerKey: string) => () => void;
  /** The text that readers get when a reply fails. */
  readonly describeFailure: (error: unknown, streamId: string) => string;
}

/** A reply that continues without its client. */
export interface NewChat extends StreamKey {
  readonly userId: string | undefined;
  readonly callerKey: string;
  readonly policy: BusyPolicy;
  /** The stored message that it extends. Readers that reconnect get it first. */
  readonly extendedMessage: UIMessage | undefined;
}

/** The JSON of UI message chunks, in batches. */
export type ChatChunks = AsyncIterable<readonly string[]>;

const tickMs = 250;
/** How long a reply that has ended can be read. */
const endedMs = 5 * 60_000;
const purgeEveryMs = 60_000;
const purgeBatchSize = 500;
/** How long replies may take to end after they were stopped. */
const afterStopMs = 1_000;

/**
 * The replies that outlive their clients: writes those of this process, and follows those of every
 * process on the same store.
 */
export class ResumableChats {
  readonly #options: ResumableChatsOptions;
  readonly #ticks = new SharedInterval(tickMs);
  readonly #lock: ConversationLock;
  readonly #writers = new Set<StreamWriter>();
  #purge: NodeJS.Timeout | undefined;
  #lastEndAt = 0;

  constructor(options: ResumableChatsOptions) {
    this.#options = options;
    this.#lock = new ConversationLock(options.store, options.clock);
  }

  /** Number of replies that this process writes. */
  get count(): number {
    return this.#writers.size;
  }

  /**
   * Starts a reply when its conversation is free, and follows it.
   *
   * @param signal of the caller: stops waiting and following, not the reply.
   * @param start starts the chunks, which must end when its signal is aborted. Its errors are
   * thrown to the caller.
   * @throws what `ConversationLock.acquire` and `reserve` throw.
   */
  async start(
    { callerKey, extendedMessage, policy, ...streamKey }: NewChat,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<AsyncIterable<readonly UIMessageChunk[]>>,
  ): Promise<ChatChunks> {
    const { ids, leaseMs, queueWaitMs: waitMs, reserve } = this.#options;
    const id = ids.next();
    const release = reserve(callerKey);
    let lock: HeldLock;
    try {
      lock = await this.#lock.acquire({
        stream: { id, ...streamKey },
        conversationId: streamKey.conversationId,
        policy,
        signal,
        waitMs,
        leaseMs,
      });
    } catch (error) {
      release();
      throw error;
    }
    const writer = this.#openWriter(id, lock.leasedAt, () => {
      release();
      void lock.release();
    });
    lock.onStop(() => writer.stop());
    const prefix = extendedMessage === undefined ? [] : replayMessage(extendedMessage);
    try {
      void writer.write(await start(writer.signal), prefix);
      // This client has the extended message: only readers that reconnect need the chunks before.
      return this.#follow(id, prefix.length, signal);
    } catch (error) {
      if (!writer.signal.aborted) {
        await writer.end();
        throw error;
      }
      await writer.end({ type: 'abort' });
      return this.#follow(id, 0, signal);
    }
  }

  /** The live reply of a conversation, from its first chunk; undefined where there is none. */
  async find(owner: Owner, streamKey: StreamKey, signal: AbortSignal): Promise<ChatChunks | undefined> {
    const live = await this.#options.store.findLive(owner, streamKey);
    if (live === undefined) return undefined;
    if (executionOfStream(live.id) === undefined) return this.#follow(live.id, 0, signal);
    // A stream without a reply has ended by now: then there may be another one.
    return (
      (await this.#options.durable.follow(live, { ...streamKey, owner }, signal)) ?? this.find(owner, streamKey, signal)
    );
  }

  /**
   * Stops the live reply of a conversation, whichever process writes it.
   *
   * @returns whether there was one.
   */
  async stop(owner: Owner, streamKey: StreamKey): Promise<boolean> {
    return this.#options.store.requestStop(owner, streamKey);
  }

  /**
   * Refuses chats that wait for their conversation. Waits for those of this process, and stops the
   * ones that outlast the grace, or whose chunks cannot be stored for some seconds. Never rejects.
   */
  async drain(graceMs: number): Promise<void> {
    clearTimeout(this.#purge);
    this.#lock.close(this.#options.shutdownError());
    for (const writer of this.#writers) writer.drain();
    const waitMs = graceMs - Math.min(afterStopMs, graceMs / 2);
    if (await finishesWithin(this.#whenIdle(), waitMs)) return;
    const { message } = this.#options.shutdownError();
    for (const writer of this.#writers) writer.stop(message);
    await finishesWithin(this.#whenIdle(), afterStopMs);
  }

  async #whenIdle(): Promise<void> {
    while (this.#writers.size > 0) await Promise.all([...this.#writers].map(({ done }) => done));
  }

  #openWriter(id: string, leasedAt: number, onEnd: () => void): StreamWriter {
    const { describeFailure } = this.#options;
    const writer = new StreamWriter(id, {
      ...this.#options,
      ticks: this.#ticks,
      leasedAt,
      describeFailure: (error) => describeFailure(error, id),
    });
    this.#writers.add(writer);
    void writer.done.then(() => {
      onEnd();
      this.#writers.delete(writer);
      this.#lastEndAt = this.#options.clock.now();
      if (!this.#options.isDraining()) this.#purgeLater();
    });
    return writer;
  }

  #follow(id: string, after: number, signal: AbortSignal): ChatChunks {
    const { clock, store } = this.#options;
    return followStream(id, { store, clock, ticks: this.#ticks, after, signal });
  }

  /** Deletes ended replies each minute while replies of this process may be among them. */
  #purgeLater(): void {
    this.#purge ??= setTimeout(() => void this.#deleteEnded(), purgeEveryMs).unref();
  }

  async #deleteEnded(): Promise<void> {
    const { clock, isDraining, logger, store } = this.#options;
    try {
      while (!isDraining() && (await store.purge(endedMs, purgeBatchSize)) === purgeBatchSize);
    } catch (error) {
      logger.warn({ err: error }, 'replies that have ended could not be deleted');
    }
    this.#purge = undefined;
    if (!isDraining() && clock.now() < this.#lastEndAt + endedMs + purgeEveryMs) this.#purgeLater();
  }
}
