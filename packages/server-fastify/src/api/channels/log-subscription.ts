import { setTimeout as delay } from 'node:timers/promises';
import type { LogFilter, LogRecord, Owner } from '@halyard/contracts';
import type { Telemetry } from '@halyard/core/server';
import type { Connection } from '../define/define-channel.ts';
import { matchesFilter } from '../routes/logs/log-filter.ts';
import { writtenLogs } from '../routes/logs/logs.ts';
import { toLogEntry } from '../routes/logs/to-log-entry.ts';
import { closeCodes } from './protocol.ts';

export interface LogSubscriptionOptions {
  readonly connection: Connection;
  readonly telemetry: Telemetry | undefined;
  readonly owner: Owner;
  readonly clock: { now(): number };
  /** Called when earlier lines could not be read. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Lines of this time are sent together, and changes of the filter in this time are read together.
 */
const batchMs = 25;
/** New lines buffered while earlier lines are read. */
const maxBuffered = 10_000;

/** Serialized lines, which all subscriptions share. */
const texts = new WeakMap<LogRecord, string>();

/**
 * Sends the log to one client: earlier lines, then new ones in batches, through a filter that may
 * change.
 */
export class LogSubscription {
  readonly #options: LogSubscriptionOptions;
  readonly #unsubscribe: (() => void) | undefined;
  #filter: LogFilter;
  #buffered: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Whether earlier lines are being read, and whether their filter has changed since. */
  #isReading = false;
  #isOutdated = false;
  #isClosed = false;

  constructor(filter: LogFilter, options: LogSubscriptionOptions) {
    this.#filter = filter;
    this.#options = options;
    this.#unsubscribe = options.telemetry?.subscribe((event) => {
      if (event.type === 'log') this.#onRecord(event.log);
    });
    options.connection.onClose(() => this.#close());
    void this.#start();
  }

  /** Starts again with this filter. */
  change(filter: LogFilter): void {
    this.#filter = filter;
    this.#buffered = this.#buffered.filter((record) => matchesFilter(record, filter, this.#options.owner));
    void this.#start();
  }

  /**
   * Reads the earlier lines. One read at a time: a client may change the filter as often as it
   * likes.
   */
  async #start(): Promise<void> {
    const { connection, onFailure, owner, telemetry } = this.#options;
    this.#isOutdated = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      let logs: readonly LogRecord[] = [];
      while (this.#isOutdated) {
        this.#isOutdated = false;
        logs = (await writtenLogs(telemetry, owner, this.#filter)).logs;
        // Changes that follow each other quickly are read once.
        if (this.#isOutdated) await delay(batchMs);
        if (this.#isClosed) return;
      }
      this.#send('initial', logs.toReversed());
      this.#isReading = false;
      this.#buffered = without(this.#buffered, logs);
      this.#sendSoon();
    } catch (error) {
      if (this.#isClosed) return;
      onFailure(error);
      connection.close(closeCodes.internalError, 'internal error');
    }
  }

  #onRecord(record: LogRecord): void {
    if (!matchesFilter(record, this.#filter, this.#options.owner)) return;
    if (this.#buffered.length >= maxBuffered) {
      this.#options.connection.close(closeCodes.tryAgainLater, 'too much is waiting to be read');
      this.#close();
      return;
    }
    this.#buffered.push(record);
    if (!this.#isReading) this.#sendSoon();
  }

  #sendSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Earlier lines are sent first.
      if (this.#isReading) return;
      const records = this.#buffered;
      this.#buffered = [];
      this.#send('update', records);
    }, batchMs).unref();
  }

  #send(type: 'initial' | 'update', records: readonly LogRecord[]): void {
    if (type === 'update' && records.length === 0) return;
    const timestamp = JSON.stringify(new Date(this.#options.clock.now()).toISOString());
    const text = `{"type":"${type}","logs":[${records.map(toText).join(',')}],"timestamp":${timestamp}}`;
    if (!this.#options.connection.send(text)) this.#close();
  }

  #close(): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#buffered = [];
  }
}

function toText(record: LogRecord): string {
  let text = texts.get(record);
  if (text === undefined) {
    text = JSON.stringify(toLogEntry(record));
    texts.set(record, text);
  }
  return text;
}

/**
 * Removes the lines that were sent among the earlier ones: equal lines as often as they were sent.
 */
function without(records: readonly LogRecord[], sent: readonly LogRecord[]): LogRecord[] {
  if (records.length === 0) return [];
  const counts = new Map<string, number>();
  for (const key of sent.map(toKey)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return records.filter((record) => {
    const key = toKey(record);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

/** Independent of the order of attributes, which a database may change. */
function toKey({ attributes, body, severityNumber, spanId, timestamp, traceId }: LogRecord): string {
  const fields = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([timestamp, severityNumber, traceId, spanId, body, fields]);
}
