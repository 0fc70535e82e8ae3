import type { LogFilter, LogRecord, Owner } from '@halyard/contracts';
import type { Telemetry } from '@halyard/core';
import type { Connection } from '../define/define-channel.ts';
import { matchesFilter } from '../logging/log-filter.ts';
import { toLogEntry } from '../logging/to-log-entry.ts';
import { writtenLogs } from '../routes/logs.ts';
import { closeCodes } from './close-codes.ts';

export interface LogSubscriptionOptions {
  readonly connection: Connection;
  readonly telemetry: Telemetry | undefined;
  readonly owner: Owner;
  readonly clock: { now(): number };
  /** Told why the lines that are written could not be read. */
  readonly onFailure: (error: unknown) => void;
}

/** How long a line may wait for others to be sent with. */
const batchMs = 25;
/** How many lines may wait for those from before to be read. */
const maxWaiting = 10_000;

/** A line is told to all who listen in the same words. */
const texts = new WeakMap<LogRecord, string>();

/** Tells one client of the log: what was written before, then what is written, in batches, by a filter that may change. */
export class LogSubscription {
  readonly #options: LogSubscriptionOptions;
  readonly #unsubscribe: (() => void) | undefined;
  #filter: LogFilter;
  #waiting: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Which reading of older lines is the latest, and whether it is under way. */
  #reading = 0;
  #isReading = false;
  #isClosed = false;

  constructor(filter: LogFilter, options: LogSubscriptionOptions) {
    this.#filter = filter;
    this.#options = options;
    this.#unsubscribe = options.telemetry?.subscribe((event) => {
      if (event.type === 'log') this.#take(event.log);
    });
    options.connection.onClose(() => this.#close());
    void this.#begin();
  }

  /** Goes on as if it had begun with this filter. */
  change(filter: LogFilter): void {
    this.#filter = filter;
    this.#waiting = this.#waiting.filter((record) => matchesFilter(record, filter, this.#options.owner));
    void this.#begin();
  }

  async #begin(): Promise<void> {
    const { connection, onFailure, owner, telemetry } = this.#options;
    this.#reading += 1;
    const reading = this.#reading;
    this.#isReading = true;
    try {
      const { logs } = await writtenLogs(telemetry, owner, this.#filter);
      if (reading !== this.#reading || this.#isClosed) return;
      this.#send('initial', logs.toReversed());
      this.#isReading = false;
      this.#waiting = without(this.#waiting, logs);
      this.#sendSoon();
    } catch (error) {
      if (this.#isClosed) return;
      onFailure(error);
      connection.close(closeCodes.internalError, 'internal error');
    }
  }

  #take(record: LogRecord): void {
    if (!matchesFilter(record, this.#filter, this.#options.owner)) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#options.connection.close(closeCodes.tryAgainLater, 'too much is waiting to be read');
      this.#close();
      return;
    }
    this.#waiting.push(record);
    if (!this.#isReading) this.#sendSoon();
  }

  #sendSoon(): void {
    if (this.#waiting.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // What waits now waits for older lines, which are sent first.
      if (this.#isReading) return;
      const records = this.#waiting;
      this.#waiting = [];
      this.#send('update', records);
    }, batchMs).unref();
  }

  #send(type: 'initial' | 'update', records: readonly LogRecord[]): void {
    if (type === 'update' && records.length === 0) return;
    const timestamp = JSON.stringify(new Date(this.#options.clock.now()).toISOString());
    const text = `{"type":"${type}","logs":[${records.map(textOf).join(',')}],"timestamp":${timestamp}}`;
    if (!this.#options.connection.send(text)) this.#close();
  }

  #close(): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#waiting = [];
  }
}

function textOf(record: LogRecord): string {
  let text = texts.get(record);
  if (text === undefined) {
    text = JSON.stringify(toLogEntry(record));
    texts.set(record, text);
  }
  return text;
}

/** Leaves out what was told among the older lines: each as often as it was. */
function without(records: readonly LogRecord[], told: readonly LogRecord[]): LogRecord[] {
  if (records.length === 0) return [];
  const counts = new Map<string, number>();
  for (const key of told.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return records.filter((record) => {
    const key = keyOf(record);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

/** A database may give fields back in another order. */
function keyOf({ attributes, body, severityNumber, spanId, timestamp, traceId }: LogRecord): string {
  const fields = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([timestamp, severityNumber, traceId, spanId, body, fields]);
}
