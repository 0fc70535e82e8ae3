import {
  describedSpan,
  type LogFilter,
  type LogRecord,
  type MetricsQuery,
  type Owner,
  type SpanFilter,
  type SpanRecord,
  type TelemetryBatch,
  type TelemetryMetrics,
  type TelemetryPage,
  type TelemetryStore,
  type TraceFilter,
  type TraceSummary,
} from '@halyard/contracts';
import { firstWithin } from '../first-within.ts';
import { SortedArray } from '../sorted-array.ts';
import { countSpans } from './count-spans.ts';
import { estimateLogBytes, estimateSpanBytes } from './estimate-telemetry-bytes.ts';
import { matchesLog } from './matches-log.ts';
import { matchesSpan } from './matches-span.ts';
import { isSearch, searchTraces } from './search-traces.ts';
import { SpanIndex } from './span-index.ts';
import type { StoredTrace } from './stored-trace.ts';

export interface InMemoryTelemetryStoreOptions {
  /** The maximum number of spans. Default: 10 000. */
  readonly maxSpans?: number | undefined;
  /** The maximum number of log lines. Default: 50 000. */
  readonly maxLogs?: number | undefined;
  /** About how many bytes spans and logs may take together. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
}

const wholeTrace: TelemetryPage = { limit: Infinity, offset: 0 };

/**
 * Stores spans and logs in this process until it ends. When the store is full, the oldest are
 * removed.
 */
export function createInMemoryTelemetryStore(options: InMemoryTelemetryStoreOptions = {}): InMemoryTelemetryStore {
  return new InMemoryTelemetryStore(options);
}

/**
 * Stores and returns the records that it is given, without a copy. When it is full it removes the
 * spans that arrived first, one by one: of a long trace the latest spans may be left.
 *
 * Writes update indexes, so that reading takes no longer while many spans are written.
 */
export class InMemoryTelemetryStore implements TelemetryStore {
  readonly name = 'in-memory';
  readonly isPersistent = false;
  readonly #maxLogs: number;
  readonly #maxBytes: number;
  readonly #spans: SpanIndex;
  readonly #logs = new SortedArray<StoredLog>(
    (one, other) => one.record.timestamp - other.record.timestamp || one.number - other.number,
  );
  #nextLogNumber = 0;
  #logBytes = 0;

  constructor({
    maxSpans = 10_000,
    maxLogs = 50_000,
    maxBytes = 64 * 1024 * 1024,
  }: InMemoryTelemetryStoreOptions = {}) {
    this.#spans = new SpanIndex(maxSpans);
    this.#maxLogs = maxLogs;
    this.#maxBytes = maxBytes;
  }

  async write({ spans, logs }: TelemetryBatch): Promise<void> {
    for (const span of spans) {
      this.#spans.add(span);
      this.#removeExcess();
    }
    for (const log of logs) {
      this.#addLog(log);
      this.#removeExcess();
    }
  }

  async findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined> {
    const span = this.#spans.find(spanId);
    return span !== undefined && this.#isTraceOf(owner, span.traceId) ? describedSpan(span) : undefined;
  }

  async findTrace(
    owner: Owner,
    traceId: string,
    { limit, maxBytes = Infinity, offset }: TelemetryPage = wholeTrace,
  ): Promise<readonly SpanRecord[]> {
    const trace = this.#spans.traces.get(traceId);
    if (trace?.belongsTo(owner) !== true) return [];
    const spans = trace.spans.slice(offset, offset + limit);
    return firstWithin(spans, maxBytes, ({ bytes }) => bytes).map(({ record }) => describedSpan(record));
  }

  async listTraces(
    owner: Owner,
    filter: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }> {
    const isListed = (trace: StoredTrace): boolean => trace.belongsTo(owner) && matchesTrace(trace, filter);
    const { page, total } = isSearch(filter)
      ? toPage(searchTraces(this.#spans.tracesByStart.descending().filter(isListed), filter), filter)
      : this.#spans.tracesByStart.page(isListed, filter);
    const listed = page.flatMap((trace) => (trace.root === undefined ? [] : [{ trace, root: trace.root }]));
    const traces = firstWithin(listed, filter.maxBytes ?? Infinity, ({ root }) => estimateSpanBytes(root));
    return { traces: traces.map(({ root, trace }) => trace.toSummary(root)), total };
  }

  async listSpans(
    owner: Owner,
    filter: SpanFilter,
  ): Promise<{ readonly spans: readonly SpanRecord[]; readonly total: number }> {
    const { entityId } = filter;
    const candidates = entityId === undefined ? this.#spans.byStart : this.#spans.ofEntity(entityId);
    if (candidates === undefined) return { spans: [], total: 0 };
    const matches = matchesSpan(filter);
    const { page, total } = candidates.page(
      ({ record }) => matches(record) && this.#isTraceOf(owner, record.traceId),
      filter,
    );
    const spans = firstWithin(page, filter.maxBytes ?? Infinity, ({ bytes }) => bytes);
    return { spans: spans.map(({ record }) => describedSpan(record)), total };
  }

  async listLogs(
    owner: Owner,
    filter: LogFilter,
  ): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }> {
    const matches = matchesLog(owner, filter);
    const { page, total } = this.#logs.page(({ record }) => matches(record), filter);
    const logs = firstWithin(page, filter.maxBytes ?? Infinity, ({ bytes }) => bytes);
    return { logs: logs.map(({ record }) => record), total };
  }

  async counts(): Promise<{ readonly traces: number; readonly spans: number; readonly logs: number }> {
    return { traces: this.#spans.traces.size, spans: this.#spans.size, logs: this.#logs.size };
  }

  async metrics(owner: Owner, query: MetricsQuery): Promise<TelemetryMetrics> {
    return countSpans(this.#spans.traces.values(), owner, query);
  }

  async deleteUser(userId: string): Promise<number> {
    const traces = [...this.#spans.traces.values()].filter((trace) => trace.belongsTo({ user: userId }));
    const deleted = new Set(traces.flatMap((trace) => trace.spansOf(userId)).map(({ record }) => record));
    this.#spans.removeWhere((record) => deleted.has(record));
    this.#removeLogs(({ attributes }) => attributes['userId'] === userId);
    return traces.length;
  }

  async purge(before: number): Promise<number> {
    const stored = this.#spans.size + this.#logs.size;
    this.#spans.removeWhere(({ startTime }) => startTime < before);
    this.#removeLogs(({ timestamp }) => timestamp < before);
    return stored - this.#spans.size - this.#logs.size;
  }

  #isTraceOf(owner: Owner, traceId: string): boolean {
    return this.#spans.traces.get(traceId)?.belongsTo(owner) === true;
  }

  #addLog(record: LogRecord): void {
    const log = { record, number: this.#nextLogNumber, bytes: estimateLogBytes(record) };
    this.#nextLogNumber += 1;
    this.#logs.add(log);
    this.#logBytes += log.bytes;
  }

  /** Removes from the spans or the logs, whichever take more memory. */
  #removeExcess(): void {
    if (this.#logs.size > this.#maxLogs) this.#removeLog(this.#logs.first);
    while (this.#spans.bytes + this.#logBytes > this.#maxBytes) {
      if (this.#spans.bytes > this.#logBytes) this.#spans.removeOldest();
      else this.#removeLog(this.#logs.first);
    }
  }

  #removeLogs(isRemoved: (log: LogRecord) => boolean): void {
    for (const { bytes } of this.#logs.removeWhere(({ record }) => isRemoved(record))) this.#logBytes -= bytes;
  }

  #removeLog(log: StoredLog | undefined): void {
    if (log === undefined) return;
    this.#logs.remove(log);
    this.#logBytes -= log.bytes;
  }
}

function toPage<Value>(
  values: readonly Value[],
  { limit, offset }: TelemetryPage,
): { readonly page: readonly Value[]; readonly total: number } {
  return { page: values.slice(offset, offset + limit), total: values.length };
}

interface StoredLog {
  readonly record: LogRecord;
  /** Counts the logs in the order of arrival. */
  readonly number: number;
  readonly bytes: number;
}

function matchesTrace(
  trace: StoredTrace,
  { entityId, entityType, from = -Infinity, status, to = Infinity, userId }: TraceFilter,
): boolean {
  const attributes = trace.root?.attributes;
  if (entityId !== undefined && attributes?.['entity.id'] !== entityId) return false;
  if (entityType !== undefined && attributes?.['entity.type'] !== entityType) return false;
  if (userId !== undefined && !trace.belongsTo({ user: userId })) return false;
  if (trace.startTime < from || trace.startTime > to) return false;
  return status === undefined || trace.status === status;
}
