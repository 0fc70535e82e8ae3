import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Logger, StreamStore } from '@halyard/contracts';
import type { EventSource } from '../define/define-stream.ts';
import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';
import { beatMs, type Pulse } from './pulse.ts';

export interface AnswerWriterOptions {
  readonly store: StreamStore;
  readonly pulse: Pulse;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** What readers are told of a failure of the source. */
  readonly describe: (error: unknown) => string;
}

/** What is said within this time is written together. */
const gatherMs = 25;

/**
 * Writes an answer into its stream while it is given, holds the lease, and aborts {@link signal} where somebody wishes that it stop, or the stream is lost:
 * taken away, too long, or its store out of reach for as long as the lease.
 *
 * One write at a time; meanwhile the source is not read, so that whoever speaks waits for the store.
 */
export class AnswerWriter {
  readonly id: string;
  readonly #options: AnswerWriterOptions;
  readonly #controller = new AbortController();
  readonly #leave: () => void;
  readonly #unwatch: () => void;
  #pending: string[] = [];
  #written = 0;
  /** When the lease was prolonged last, by the clock of this process. */
  #renewedAt: number;
  #append: Promise<void> | undefined;
  #isStirred = false;
  #isLost = false;
  #isEnding = false;
  #isInTrouble = false;
  #hasEnded = false;
  #stopReason: string | undefined;
  #onBeat: (() => void) | undefined;

  /** @param id of the stream that has begun just now. */
  constructor(id: string, options: AnswerWriterOptions) {
    this.id = id;
    this.#options = options;
    this.#renewedAt = options.clock.now();
    this.#leave = options.pulse.join(() => this.#beat());
    this.#unwatch = options.store.watch(id, () => {
      this.#isStirred = true;
      this.#lookAround();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @param reason is told to readers with the `abort`. */
  stop(reason?: string): void {
    this.#stopReason ??= reason;
    this.#controller.abort();
  }

  /** Writes what stands before it, and what the source gives until its end. It has to end when {@link signal} is aborted. Never rejects. */
  async carry(source: EventSource<UiMessageChunk>, before: readonly UiMessageChunk[]): Promise<void> {
    for (const chunk of before) this.#take(chunk);
    try {
      for (let batch = await source.nextBatch(); batch !== undefined; batch = await source.nextBatch()) {
        for (const chunk of batch) this.#take(chunk);
        if (this.#isLost || this.#pending.length === 0) continue;
        await this.#flush();
        await delay(gatherMs);
      }
    } catch (error) {
      this.#take({ type: 'error', errorText: this.#options.describe(error) });
    }
    await this.end();
  }

  /** Ends the stream, also one that nothing was said in. Never rejects. */
  async end(...last: readonly UiMessageChunk[]): Promise<void> {
    for (const chunk of last) this.#take(chunk);
    this.#isEnding = true;
    await this.#append;
    while (!this.#isLost && !this.#hasEnded) {
      try {
        const isEnded = await this.#options.store.end(this.id, { after: this.#written, chunks: this.#pending });
        if (isEnded) this.#hasEnded = true;
        else this.#lose('it is no longer kept');
      } catch (error) {
        this.#tellTrouble(error);
        await this.#nextBeat();
      }
    }
    this.#leave();
    this.#unwatch();
  }

  #take(chunk: UiMessageChunk): void {
    if (this.#isLost) return;
    const reason = this.#stopReason;
    const told = chunk.type === 'abort' && reason !== undefined ? { ...chunk, reason } : chunk;
    this.#pending.push(JSON.stringify(told));
  }

  async #flush(): Promise<void> {
    while (!this.#isLost && this.#pending.length > 0) {
      const before = this.#written;
      await this.#write();
      if (this.#written === before && this.#pending.length > 0 && !this.#isLost) await this.#nextBeat();
    }
  }

  /** Writes what is there, or only prolongs the lease; a write that is on its way already is waited for instead. */
  #write(): Promise<void> {
    // Not begun within this call: a store may tell of the write before it returns.
    this.#append ??= Promise.resolve()
      .then(() => this.#writeOnce())
      .finally(() => {
        this.#append = undefined;
      });
    return this.#append;
  }

  async #writeOnce(): Promise<void> {
    const { clock, leaseMs, store } = this.#options;
    const startedAt = clock.now();
    const chunks = [...this.#pending];
    this.#isStirred = false;
    try {
      const outcome = await store.append(this.id, { after: this.#written, chunks }, leaseMs);
      if (this.#isLost) return;
      if (outcome === 'lost') {
        this.#lose('it is no longer kept');
        return;
      }
      this.#pending = this.#pending.slice(chunks.length);
      this.#written += chunks.length;
      this.#renewedAt = startedAt;
      this.#isInTrouble = false;
      if (outcome === 'stop-requested') this.stop();
    } catch (error) {
      this.#tellTrouble(error);
    }
  }

  #beat(): void {
    if (this.#quietMs() >= this.#options.leaseMs) this.#lose('its lease ran out');
    else this.#lookAround();
    this.#onBeat?.();
  }

  /** A third of the lease may pass without a write. What was heard may be of a write of our own: it is looked into when there was none for a while. */
  #lookAround(): void {
    const quietMs = this.#quietMs();
    const isDue = quietMs * 3 >= this.#options.leaseMs || (this.#isStirred && quietMs >= beatMs);
    if (isDue && !this.#isEnding && !this.#isLost) void this.#write();
  }

  #quietMs(): number {
    return this.#options.clock.now() - this.#renewedAt;
  }

  async #nextBeat(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onBeat = resolve;
    await promise;
    this.#onBeat = undefined;
  }

  #lose(why: string): void {
    if (this.#isLost || this.#hasEnded) return;
    this.#isLost = true;
    this.#pending = [];
    this.#options.logger.warn({ streamId: this.id, why }, 'the stream of an answer was lost: the answer is aborted');
    this.stop();
  }

  #tellTrouble(error: unknown): void {
    if (this.#isInTrouble) return;
    this.#isInTrouble = true;
    this.#options.logger.warn({ err: error, streamId: this.id }, 'an answer could not be written, and is tried again');
  }
}
