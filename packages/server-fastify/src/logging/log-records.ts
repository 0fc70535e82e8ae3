import type { Clock, LogRecord, SpanContext, TelemetrySink } from '@halyard/contracts';
import { toLogRecord } from './to-log-record.ts';

/** Where the records of a server's log go. */
export interface LogTarget {
  readonly sink: Pick<TelemetrySink, 'logged'>;
  readonly exportLog?: ((log: LogRecord) => void) | undefined;
  /** The span that the calling code runs in. */
  readonly active: () => SpanContext | undefined;
}

export interface LogRecordsOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly messageKey?: string | undefined;
}

/** How many lines may wait within one turn, or before the server is built. */
const maxWaiting = 10_000;

/** Marks what the recording says of itself. Recorded, a store that fails would be told so, fail, and so on. */
export const unrecordedComponent = 'telemetry';
const unrecordedMark = `"component":"${unrecordedComponent}"`;

/**
 * A stream of a logger that makes records of its lines. They are read in the next turn and together: a line costs who writes it no more than
 * its place in a list.
 */
export class LogRecords {
  readonly #options: LogRecordsOptions;
  #waiting: string[] = [];
  #target: LogTarget | undefined;
  #isClosed = false;
  #isScheduled = false;

  constructor(options: LogRecordsOptions) {
    this.#options = options;
  }

  /** From now on lines go there, those from before too; undefined: nowhere. */
  connect(target: LogTarget | undefined): void {
    this.#target = target;
    this.#isClosed = target === undefined;
    if (this.#isClosed) this.#waiting = [];
    else this.#schedule();
  }

  /** What tells a line of the span that it was written in. */
  spanFields(): { readonly traceId?: string; readonly spanId?: string } {
    const span = this.#target?.active();
    return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
  }

  write(line: string): void {
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(line);
    if (this.#target !== undefined) this.#schedule();
  }

  /** Makes records of what waits. */
  flush(): void {
    const target = this.#target;
    if (target === undefined || this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    const format = { messageKey: this.#options.messageKey, takenAt: this.#options.clock.now() };
    for (const line of lines) {
      const record = line.includes(unrecordedMark) ? undefined : toLogRecord(line, format);
      if (record !== undefined) tell(record, target);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}

function tell(record: LogRecord, { exportLog, sink }: LogTarget): void {
  sink.logged(record);
  exportLog?.(record);
}
