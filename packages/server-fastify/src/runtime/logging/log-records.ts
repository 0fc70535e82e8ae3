import type { Clock, Logger, LogRecord, SpanContext, TelemetrySink } from '@halyard/contracts';
import { toLogRecord } from './to-log-record.ts';

/** The receiver of a server's log records. */
export interface LogTarget {
  readonly sink: Pick<TelemetrySink, 'logged'>;
  readonly exportLog?: ((log: LogRecord) => void) | undefined;
  /** The active span of the calling code. */
  readonly active: () => SpanContext | undefined;
  /** Whether records may contain the messages of errors. */
  readonly recordsContent: boolean;
}

export interface LogRecordsOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly messageKey?: string | undefined;
}

/**
 * How many lines may be pending within one turn of the event loop, or before a target is connected.
 */
const maxPending = 10_000;

/** Marks lines about the recording itself. Recording them could fail again, without end. */
const unrecordedComponent = 'telemetry';
const unrecordedMark = `"component":"${unrecordedComponent}"`;

/**
 * A stream of a logger that converts its lines to records. The lines of one turn of the event loop
 * are converted together in the next turn, so that logging stays cheap for its callers.
 */
export class LogRecords {
  readonly #options: LogRecordsOptions;
  #pending: string[] = [];
  #target: LogTarget | undefined;
  #isClosed = false;
  #isScheduled = false;

  constructor(options: LogRecordsOptions) {
    this.#options = options;
  }

  /** Sends all lines, including pending ones, to `target`; undefined discards them. */
  connect(target: LogTarget | undefined): void {
    this.#target = target;
    this.#isClosed = target === undefined;
    if (this.#isClosed) this.#pending = [];
    else this.#schedule();
  }

  /** The fields that connect a line with the active span. */
  spanFields(): { readonly traceId?: string; readonly spanId?: string } {
    const span = this.#target?.active();
    return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
  }

  write(line: string): void {
    if (this.#isClosed || this.#pending.length >= maxPending) return;
    this.#pending.push(line);
    if (this.#target !== undefined) this.#schedule();
  }

  /** Converts all pending lines. */
  flush(): void {
    const target = this.#target;
    if (target === undefined || this.#pending.length === 0) return;
    const lines = this.#pending;
    this.#pending = [];
    const { recordsContent } = target;
    const format = { messageKey: this.#options.messageKey, takenAt: this.#options.clock.now(), recordsContent };
    for (const line of lines) {
      const record = line.includes(unrecordedMark) ? undefined : toLogRecord(line, format);
      if (record === undefined) continue;
      target.sink.logged(record);
      target.exportLog?.(record);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#pending.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}

/** A logger whose lines are written but not recorded, for the code that does the recording. */
export function unrecorded(logger: Logger): Logger {
  const marked = (fields: object): object => ({ ...fields, component: unrecordedComponent });
  return {
    debug: (fields, message) => logger.debug(marked(fields), message),
    info: (fields, message) => logger.info(marked(fields), message),
    warn: (fields, message) => logger.warn(marked(fields), message),
    error: (fields, message) => logger.error(marked(fields), message),
  };
}
