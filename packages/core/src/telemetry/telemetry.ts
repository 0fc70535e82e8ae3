import {
  type Clock,
  type LogRecord,
  type Logger,
  type SpanRecord,
  spanStatusCodes,
  type TelemetryBatch,
  type TelemetrySink,
  type TelemetryStore,
} from '@halyard/contracts';
import { addCost, type CostOfCall, type PricedCall } from './add-cost.ts';

/** A failed span is published as `span:error` instead of `span:end`. */
export type TelemetryEvent =
  | { readonly type: 'span:start' | 'span:end' | 'span:error'; readonly span: SpanRecord }
  | { readonly type: 'log'; readonly log: LogRecord };

export interface TelemetryOptions {
  readonly store: TelemetryStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long spans and logs may wait to be written, in milliseconds; default 200. */
  readonly flushMs?: number | undefined;
  /** How many of each kind may wait. Further ones are dropped, which is logged. Default: 20 000. */
  readonly maxWaiting?: number | undefined;
  /** Model calls are recorded with their cost where it returns one. */
  readonly costOf?: CostOfCall | undefined;
}

const batchSize = 1000;
const warningIntervalMs = 60_000;

/**
 * Publishes spans and logs to listeners, and writes them to the store in batches.
 *
 * A failing or slow store never delays the recorded work: records that it does not take are
 * dropped, with one warning per minute.
 */
export class Telemetry implements TelemetrySink {
  readonly store: TelemetryStore;
  readonly #listeners = new Set<(event: TelemetryEvent) => void>();
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #flushMs: number;
  readonly #maxWaiting: number;
  readonly #costOf: CostOfCall | undefined;
  /**
   * Entries that have started and not ended since the last write. Listings show them as running.
   */
  readonly #running = new Map<string, SpanRecord>();
  #spans: SpanRecord[] = [];
  #logs: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #dropped = 0;
  #failure: unknown;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, flushMs = 200, logger, maxWaiting = 20_000, costOf, store }: TelemetryOptions) {
    this.store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#flushMs = flushMs;
    this.#maxWaiting = maxWaiting;
    this.#costOf = costOf;
  }

  spanStarted(span: SpanRecord): void {
    this.#publish({ type: 'span:start', span });
    if (!span.isEntry || !this.#hasRoom(this.#running.size)) return;
    this.#running.set(span.spanId, span);
    this.#scheduleWrite();
  }

  spanEnded(ended: SpanRecord): void {
    const span = this.#costOf === undefined ? ended : addCost(ended, this.#costOf);
    this.#publish({ type: span.status.code === spanStatusCodes.error ? 'span:error' : 'span:end', span });
    if (span.isEntry) this.#running.delete(span.spanId);
    if (!this.#hasRoom(this.#spans.length)) return;
    this.#spans.push(span);
    this.#scheduleWrite();
  }

  logged(log: LogRecord): void {
    this.#publish({ type: 'log', log });
    if (!this.#hasRoom(this.#logs.length)) return;
    this.#logs.push(log);
    this.#scheduleWrite();
  }

  /** The cost of a model call in US dollars; undefined if it is unknown. */
  costOf(call: PricedCall): number | undefined {
    return this.#costOf?.(call);
  }

  /** Calls `listener` synchronously for each later event. @returns a function that unsubscribes. */
  subscribe(listener: (event: TelemetryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when everything received so far is written or dropped. Readers of the store call it
   * first.
   */
  async flush(): Promise<void> {
    await this.#writing;
    this.#write({ withRunning: true });
    await this.#writing;
  }

  /** Writes the waiting records. Later ones are ignored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    this.#warnOfDropped();
  }

  #hasRoom(waiting: number): boolean {
    if (this.#isClosed) return false;
    if (waiting < this.#maxWaiting) return true;
    this.#dropped += 1;
    return false;
  }

  #scheduleWrite(): void {
    if (this.#writing !== undefined) return;
    this.#timer ??= setTimeout(() => this.#write({ withRunning: true }), this.#flushMs).unref();
    // Running entries wait for the timer, as most of them are short.
    if (this.#spans.length === batchSize || this.#logs.length === batchSize)
      setImmediate(() => this.#write({ withRunning: false }));
  }

  #write({ withRunning }: { readonly withRunning: boolean }): void {
    if (withRunning) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.#writing !== undefined) return;
    const spans = withRunning ? [...this.#running.values(), ...this.#spans] : this.#spans;
    const logs = this.#logs;
    if (withRunning) this.#running.clear();
    this.#spans = [];
    this.#logs = [];
    if (spans.length + logs.length === 0) return;
    this.#writing = this.#writeBatches(spans, logs).finally(() => {
      this.#writing = undefined;
      if (this.#running.size + this.#spans.length + this.#logs.length > 0 && !this.#isClosed) this.#scheduleWrite();
    });
  }

  async #writeBatches(spans: readonly SpanRecord[], logs: readonly LogRecord[]): Promise<void> {
    for (let at = 0; at < Math.max(spans.length, logs.length); at += batchSize)
      await this.#writeBatch({ spans: spans.slice(at, at + batchSize), logs: logs.slice(at, at + batchSize) });
    if (this.#clock.now() - this.#warnedAt >= warningIntervalMs) this.#warnOfDropped();
  }

  async #writeBatch(batch: TelemetryBatch): Promise<void> {
    try {
      await this.store.write(batch);
    } catch (error) {
      this.#dropped += batch.spans.length + batch.logs.length;
      this.#failure = error;
    }
  }

  #warnOfDropped(): void {
    if (this.#dropped === 0) return;
    const fields = { dropped: this.#dropped, store: this.store.name, err: this.#failure };
    this.#dropped = 0;
    this.#failure = undefined;
    this.#warnedAt = this.#clock.now();
    this.#logger.warn(fields, 'spans and log lines could not be stored');
  }

  #publish(event: TelemetryEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#logger.error({ err: error }, 'a telemetry listener failed');
      }
    }
  }
}
