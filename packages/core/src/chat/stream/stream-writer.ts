import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type Logger, monotonicTime, StoppedError, type StreamStore } from '@halyard/contracts';
import type { SharedInterval } from '../../async/shared-interval.ts';
import type { UIMessageChunk } from '../../model/messages/message.ts';

export interface StreamWriterOptions {
  readonly store: StreamStore;
  readonly ticks: SharedInterval;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** When the lease was requested, in monotonic time. */
  readonly leasedAt: number;
  /** The text that readers get for a failure of the source. */
  readonly describeFailure: (error: unknown) => string;
}

/** Chunks of this time are written together. */
const gatherMs = 25;
/** How long the store may be out of reach while the process is shutting down. */
const drainPatienceMs = 4_000;
/** Why a stream was lost. */
const runOut = 'its lease ran out';
const unavailable = 'the storage does not answer while the process is shutting down';

/**
 * Writes a reply into its stream and renews the lease of the stream. {@link signal} is aborted when
 * the reply is to stop, or when the stream is lost: taken over, too long, or its store out of reach
 * for as long as the lease.
 *
 * One write at a time. At most one batch of the source is read during a write, so that its producer
 * waits for the store.
 */
export class StreamWriter {
  readonly #id: string;
  readonly #options: StreamWriterOptions;
  readonly #controller = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  readonly #cleanUps: readonly (() => void)[];
  #state: 'open' | 'ending' | 'ended' | 'lost' = 'open';
  #hasRunOut = false;
  #pending: string[] = [];
  #written = 0;
  /** When the last lease was requested, in monotonic time. */
  #renewedAt: number;
  /** When the shutdown of the process began, in monotonic time. */
  #drainedAt: number | undefined;
  #appending: Promise<boolean> | undefined;
  /** The store reported a change: perhaps a request to stop. */
  #hasChanged = false;
  #isFailing = false;
  #stopReason: string | undefined;
  #onNextTick: (() => void) | undefined;

  /** @param id of a stream that has just begun. */
  constructor(id: string, options: StreamWriterOptions) {
    this.#id = id;
    this.#options = options;
    this.#renewedAt = options.leasedAt;
    this.#cleanUps = [
      options.ticks.add(() => this.#onTick()),
      options.store.watch(id, () => {
        this.#hasChanged = true;
        this.#renewIfDue();
      }),
    ];
    // The reply of the store may have come late.
    this.#renewIfDue();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the stream has ended or is lost. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Whether the stream has its end. */
  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /**
   * Whether the stream was lost because its lease ran out: another stream can replace it. A stream
   * that is too long, or was deleted, would be lost again.
   */
  get hasRunOut(): boolean {
    return this.#hasRunOut;
  }

  /** Writes no more, and leaves the stream to another writer. */
  abandon(): void {
    if (!this.#isOpen()) return;
    this.#state = 'lost';
    this.#pending = [];
    this.stop();
  }

  /** A person has asked for the end of the reply. */
  stopOnRequest(): void {
    this.#controller.abort(new StoppedError());
  }

  /** @param reason sent to readers with the `abort` chunk. */
  stop(reason?: string): void {
    this.#stopReason ??= reason;
    this.#controller.abort();
  }

  /**
   * The process is shutting down: from now on the stream is lost earlier, once its store has been
   * out of reach for {@link drainPatienceMs}, as nothing can be saved then.
   */
  drain(): void {
    this.#drainedAt = monotonicTime(this.#options.clock);
  }

  /**
   * Writes the prefix and then the source to its end, and ends the stream. Never rejects.
   *
   * @param source has to end when {@link signal} is aborted.
   */
  async write(source: AsyncIterable<readonly UIMessageChunk[]>, prefix: readonly UIMessageChunk[]): Promise<void> {
    this.#add(prefix);
    const batches = source[Symbol.asyncIterator]();
    // The first chunks are written at once.
    let gathered: Promise<void> = Promise.resolve();
    try {
      let next = batches.next();
      for (let batch = await next; batch.done !== true; batch = await next) {
        this.#add(batch.value);
        next = batches.next();
        // The end of the source is written with the chunks before it.
        if (this.#pending.length === 0 || !(await isFirst(gathered, next))) continue;
        await this.#flush();
        gathered = delay(gatherMs);
      }
    } catch (error) {
      this.#add([{ type: 'error', errorText: this.#options.describeFailure(error) }]);
    }
    await this.end();
  }

  /** Ends the stream with these chunks. Never rejects. */
  async end(...last: readonly UIMessageChunk[]): Promise<void> {
    this.#add(last);
    if (this.#state === 'open') this.#state = 'ending';
    await this.#appending;
    while (this.#isOpen()) {
      try {
        const chunks = { after: this.#written, chunks: this.#pending };
        if (await this.#options.store.end(this.#id, chunks)) this.#state = 'ended';
        else await this.#loseAsStored();
      } catch (error) {
        this.#logFailure(error);
        await this.#nextTick();
      }
    }
    for (const cleanUp of this.#cleanUps) cleanUp();
    this.#done.resolve();
  }

  #add(chunks: readonly UIMessageChunk[]): void {
    if (!this.#isOpen()) return;
    const reason = this.#stopReason;
    for (const chunk of chunks)
      this.#pending.push(JSON.stringify(chunk.type === 'abort' && reason !== undefined ? { ...chunk, reason } : chunk));
  }

  async #flush(): Promise<void> {
    while (this.#isOpen() && this.#pending.length > 0) if (!(await this.#append())) await this.#nextTick();
  }

  /**
   * Writes the pending chunks, or only renews the lease. Joins a write that is under way.
   *
   * @returns whether it succeeded.
   */
  #append(): Promise<boolean> {
    // Not started within this call: a store may report the change before it returns.
    this.#appending ??= Promise.resolve()
      .then(() => this.#appendPending())
      .finally(() => {
        this.#appending = undefined;
      });
    return this.#appending;
  }

  async #appendPending(): Promise<boolean> {
    const { clock, leaseMs, store } = this.#options;
    const startedAt = monotonicTime(clock);
    const chunks = [...this.#pending];
    this.#hasChanged = false;
    try {
      const outcome = await store.append(this.#id, { after: this.#written, chunks }, leaseMs);
      if (outcome === 'lost') await this.#loseAsStored();
      if (!this.#isOpen()) return false;
      this.#pending = this.#pending.slice(chunks.length);
      this.#written += chunks.length;
      this.#renewedAt = startedAt;
      this.#isFailing = false;
      if (outcome === 'stop-requested') this.stopOnRequest();
      return true;
    } catch (error) {
      this.#logFailure(error);
      return false;
    }
  }

  #onTick(): void {
    if (this.#sinceRenewalMs() >= this.#options.leaseMs) this.#lose(runOut);
    else if (this.#unsavedWhileDrainingMs() >= drainPatienceMs) this.#lose(unavailable);
    else this.#renewIfDue();
    this.#onNextTick?.();
  }

  /**
   * Renews after a third of the lease, or soon after a change, which may be one of our own writes.
   */
  #renewIfDue(): void {
    const sinceMs = this.#sinceRenewalMs();
    const { leaseMs, ticks } = this.#options;
    const renewEveryMs = (this.#drainedAt === undefined ? leaseMs : Math.min(leaseMs, drainPatienceMs)) / 3;
    const isDue = sinceMs >= renewEveryMs || (this.#hasChanged && sinceMs >= ticks.everyMs);
    if (isDue && this.#state === 'open') void this.#append();
  }

  #sinceRenewalMs(): number {
    return monotonicTime(this.#options.clock) - this.#renewedAt;
  }

  #unsavedWhileDrainingMs(): number {
    if (this.#drainedAt === undefined) return 0;
    return monotonicTime(this.#options.clock) - Math.max(this.#drainedAt, this.#renewedAt);
  }

  #isOpen(): boolean {
    return this.#state === 'open' || this.#state === 'ending';
  }

  async #nextTick(): Promise<void> {
    if (!this.#isOpen()) return;
    await new Promise<void>((resolve) => {
      this.#onNextTick = resolve;
    });
    this.#onNextTick = undefined;
  }

  /** Loses the stream for the reason that the store shows. */
  async #loseAsStored(): Promise<void> {
    const { leaseMs, store } = this.#options;
    const found = this.#sinceRenewalMs() < leaseMs ? await store.read(this.#id, { after: 0, limit: 1 }) : undefined;
    const hasItsChunks = found !== undefined && (found.chunks.length > 0 || this.#written + this.#pending.length === 0);
    this.#lose(hasItsChunks || this.#sinceRenewalMs() >= leaseMs ? runOut : 'it is too long, or was deleted');
  }

  #lose(why: string): void {
    if (!this.#isOpen()) return;
    this.#state = 'lost';
    this.#hasRunOut = why === runOut;
    this.#pending = [];
    this.#options.logger.warn({ streamId: this.#id, why }, 'the stream of a reply was lost: the reply is aborted');
    this.stop();
  }

  #logFailure(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.logger.warn({ err: error, streamId: this.#id }, 'a reply could not be stored: trying again');
  }
}

/** Whether `one` resolves before `other` settles, or both have. */
function isFirst(one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  const otherIsFirst = (): boolean => false;
  return Promise.race([one.then(() => true), other.then(otherIsFirst, otherIsFirst)]);
}
