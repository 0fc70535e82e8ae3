import {
  type Clock,
  type LogRecord,
  type Logger,
  type SpanRecord,
  SpanSnapshot,
  spanStatusCodes,
  type TelemetrySink,
  type TelemetryStore,
} from '@halyard/contracts';

/** What happens, as it happens. A span that failed is told as `span:error` instead of `span:end`. */
export type TelemetryEvent =
  | { readonly type: 'span:start' | 'span:end' | 'span:error'; readonly span: SpanRecord }
  | { readonly type: 'log'; readonly log: LogRecord };

export interface TelemetryOptions {
  readonly store: TelemetryStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long spans and logs may wait to be written; default 200. */
  readonly flushMs?: number;
  /** How many may wait; more are dropped, which is logged. Default: 20 000. */
  readonly maxWaiting?: number;
}

/** As many waiting are written at once. */
const batchSize = 1000;
const complaintMs = 60_000;
const fewBegun = 64;

/**
 * Takes what recorders tell, hands it to who listens, and writes it to the store in batches, beside the work that is recorded.
 *
 * A store that fails or is slow harms nothing else: what it does not take is dropped, and that is logged once a minute.
 */
export class Telemetry implements TelemetrySink {
  readonly store: TelemetryStore;
  readonly #listeners = new Set<(event: TelemetryEvent) => void>();
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #flushMs: number;
  readonly #maxWaiting: number;
  /** Entries that have begun. Those that go on when it is time to write are written as they are then. */
  #begun: SpanRecord[] = [];
  /** With more of them, those that have ended meanwhile are forgotten. */
  #greatestBegun = fewBegun;
  #spans: SpanRecord[] = [];
  #logs: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Being written, and not yet counted as done. */
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #dropped = 0;
  #failure: unknown;
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, flushMs = 200, logger, maxWaiting = 20_000, store }: TelemetryOptions) {
    this.store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#flushMs = flushMs;
    this.#maxWaiting = maxWaiting;
  }

  spanStarted(span: SpanRecord): void {
    if (this.#listeners.size > 0) this.#tell({ type: 'span:start', span: new SpanSnapshot(span) });
    if (span.isEntry && this.#hasRoom(this.#begun)) {
      if (this.#begun.length >= this.#greatestBegun) this.#forgetEnded();
      this.#begun.push(span);
      this.#wait();
    }
  }

  spanEnded(span: SpanRecord): void {
    if (this.#listeners.size > 0)
      this.#tell({ type: span.status.code === spanStatusCodes.error ? 'span:error' : 'span:end', span });
    if (this.store.keep !== undefined) this.#keep(span);
    else if (this.#hasRoom(this.#spans)) {
      this.#spans.push(span);
      this.#wait();
    }
  }

  logged(log: LogRecord): void {
    if (this.#listeners.size > 0) this.#tell({ type: 'log', log });
    if (this.#hasRoom(this.#logs)) {
      this.#logs.push(log);
      this.#wait();
    }
  }

  /** Calls `listener` with all that is told from now on, in the turn in which it happens. @returns a function that stops it. */
  subscribe(listener: (event: TelemetryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when everything told so far is written, or could not be. Readers of the store call it first. */
  async flush(): Promise<void> {
    // What is being written may be older than what waits.
    if (this.#writing !== undefined) await this.#writing;
    this.#write('all');
    await this.#writing;
  }

  /** Writes what waits, and no more after that. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    this.#complain();
  }

  #keep(span: SpanRecord): void {
    if (this.#isClosed) return;
    try {
      this.store.keep?.(span);
    } catch (error) {
      this.#dropped += 1;
      this.#failure = error;
      this.#complainNowAndThen();
    }
  }

  #hasRoom(waiting: readonly unknown[]): boolean {
    if (this.#isClosed) return false;
    if (waiting.length < this.#maxWaiting) return true;
    this.#dropped += 1;
    return false;
  }

  #wait(): void {
    if (this.#writing !== undefined) return;
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#onTimer(), this.#flushMs).unref();
    if (this.#spans.length === batchSize || this.#logs.length === batchSize) setImmediate(() => this.#write('ended'));
  }

  #onTimer(): void {
    this.#timer = undefined;
    this.#write('all');
  }

  /** @param which `ended`: there are many. Those that go on wait for the timer: most of them are short. */
  #write(which: 'all' | 'ended'): void {
    if (this.#writing !== undefined) return;
    this.#forgetEnded();
    const running = which === 'all' ? this.#begun.map((span) => new SpanSnapshot(span)) : [];
    const [spans, logs] = [[...running, ...this.#spans], this.#logs];
    if (which === 'all') this.#begun = [];
    this.#spans = [];
    this.#logs = [];
    if (which === 'all') {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (spans.length + logs.length === 0) return;
    this.#writing = this.#writeBatches(spans, logs).finally(() => {
      this.#writing = undefined;
      if (this.#begun.length + this.#spans.length + this.#logs.length > 0 && !this.#isClosed) this.#wait();
    });
  }

  #forgetEnded(): void {
    this.#begun = this.#begun.filter(({ endTime }) => endTime === null);
    this.#greatestBegun = Math.max(fewBegun, 2 * this.#begun.length);
  }

  async #writeBatches(spans: readonly SpanRecord[], logs: readonly LogRecord[]): Promise<void> {
    for (let at = 0; at < Math.max(spans.length, logs.length); at += batchSize) {
      const batch = { spans: spans.slice(at, at + batchSize), logs: logs.slice(at, at + batchSize) };
      try {
        await this.store.write(batch);
      } catch (error) {
        this.#dropped += batch.spans.length + batch.logs.length;
        this.#failure = error;
      }
    }
    this.#complainNowAndThen();
  }

  #complainNowAndThen(): void {
    if (this.#clock.now() - this.#complainedAt >= complaintMs) this.#complain();
  }

  #complain(): void {
    if (this.#dropped === 0) return;
    const fields = { dropped: this.#dropped, store: this.store.name, err: this.#failure };
    this.#dropped = 0;
    this.#failure = undefined;
    this.#complainedAt = this.#clock.now();
    this.#logger.warn(fields, 'spans and log lines could not be kept');
  }

  #tell(event: TelemetryEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#logger.error({ err: error }, 'a listener of the telemetry failed');
      }
    }
  }
}
