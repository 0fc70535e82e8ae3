import type {
  LogFilter,
  LogRecord,
  Owner,
  RunFilter,
  SpanRecord,
  TelemetryBatch,
  TelemetryStore,
  TraceFilter,
  TraceSummary,
} from '@halyard/contracts';
import { estimatedLogBytes } from './estimated-telemetry-bytes.ts';
import { FirstFew } from './first-few.ts';
import type { KeptTrace } from './kept-trace.ts';
import { type Link, LinkedList } from './linked-list.ts';
import { matchesLog } from './matches-log.ts';
import { SpanTable } from './span-table.ts';

export interface InMemoryTelemetryStoreOptions {
  /** How many spans are kept. Default: 10 000. */
  readonly maxSpans?: number;
  /** How many lines of logs are kept. Default: 50 000. */
  readonly maxLogs?: number;
  /** About how many bytes spans and logs may take together. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/** Spans and logs in this process, gone when it ends. When it is full the oldest are forgotten. */
export function createInMemoryTelemetryStore(options: InMemoryTelemetryStoreOptions = {}): InMemoryTelemetryStore {
  return new InMemoryTelemetryStore(options);
}

/**
 * Keeps records as they are given, and hands them out as they are kept: they are not to be changed, but for a running span, which may go on to change.
 *
 * When it is full the spans that came the longest ago go one by one, so that of a long trace the latest part may be left. Writing takes the same short time
 * however much is kept; a list looks at all that is kept once.
 */
export class InMemoryTelemetryStore implements TelemetryStore {
  readonly name = 'in-memory';
  readonly isPersistent = false;
  readonly #maxSpans: number;
  readonly #maxLogs: number;
  readonly #maxBytes: number;
  readonly #table = new SpanTable();
  readonly #logs = new LinkedList<KeptLog>();
  #logBytes = 0;

  constructor({
    maxSpans = 10_000,
    maxLogs = 50_000,
    maxBytes = 64 * 1024 * 1024,
  }: InMemoryTelemetryStoreOptions = {}) {
    this.#maxSpans = maxSpans;
    this.#maxLogs = maxLogs;
    this.#maxBytes = maxBytes;
  }

  async write({ spans, logs }: TelemetryBatch): Promise<void> {
    for (const span of spans) {
      this.#table.put(span);
      this.#makeRoom();
    }
    for (const log of logs) {
      this.#addLog(log);
      this.#makeRoom();
    }
  }

  async findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined> {
    const span = this.#table.span(spanId);
    return span?.trace.isOf(owner) === true ? span.record : undefined;
  }

  async findTrace(owner: Owner, traceId: string): Promise<readonly SpanRecord[]> {
    const trace = this.#table.trace(traceId);
    return trace?.isOf(owner) === true ? trace.toRecords() : [];
  }

  async listTraces(
    owner: Owner,
    { limit, offset, ...filter }: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }> {
    const newest = new FirstFew<RootedTrace>(offset + limit, (one, other) => newerFirst(one.root, other.root));
    let total = 0;
    for (let link = this.#table.traces.newest; link !== undefined; link = link.older) {
      const { root } = link.value;
      if (root === undefined || !link.value.isOf(owner) || !matchesTrace(link.value, root, filter)) continue;
      newest.add({ trace: link.value, root });
      total += 1;
    }
    const page = newest.inOrder().slice(offset);
    return { traces: page.map(({ trace, root }) => trace.toSummary(root)), total };
  }

  async listRuns(
    owner: Owner,
    { limit, offset, entityType, entityId, userId }: RunFilter,
  ): Promise<{ readonly runs: readonly SpanRecord[]; readonly total: number }> {
    const newest = new FirstFew<SpanRecord>(offset + limit, newerFirst);
    let total = 0;
    for (let link = this.#table.spans.newest; link !== undefined; link = link.older) {
      const { record, trace } = link.value;
      if (record.attributes['entity.id'] !== entityId || record.attributes['entity.type'] !== entityType) continue;
      if (userId !== undefined && record.attributes['user.id'] !== userId) continue;
      if (!trace.isOf(owner)) continue;
      newest.add(record);
      total += 1;
    }
    return { runs: newest.inOrder().slice(offset), total };
  }

  async listLogs(
    owner: Owner,
    { limit, offset, ...filter }: LogFilter,
  ): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }> {
    const newest = new FirstFew<LogRecord>(offset + limit, (one, other) => other.timestamp - one.timestamp);
    const matches = matchesLog(owner, filter);
    let total = 0;
    for (let link = this.#logs.newest; link !== undefined; link = link.older) {
      const { record } = link.value;
      if (!matches(record)) continue;
      newest.add(record);
      total += 1;
    }
    return { logs: newest.inOrder().slice(offset), total };
  }

  async counts(): Promise<{ readonly traces: number; readonly spans: number; readonly logs: number }> {
    return { traces: this.#table.traces.size, spans: this.#table.spans.size, logs: this.#logs.size };
  }

  async deleteUser(userId: string): Promise<number> {
    const owner = { user: userId };
    const traces = this.#table.traces.toArray().filter((trace) => trace.isOf(owner));
    for (const trace of traces) for (const span of trace.spans.toArray()) this.#table.remove(span);
    this.#removeLogs(({ attributes }) => attributes['userId'] === userId);
    return traces.length;
  }

  async purge(before: number): Promise<number> {
    const spans = this.#table.spans.toArray().filter(({ record }) => record.startTime < before);
    for (const span of spans) this.#table.remove(span);
    return spans.length + this.#removeLogs(({ timestamp }) => timestamp < before);
  }

  #addLog(record: LogRecord): void {
    const log = new KeptLog(record, estimatedLogBytes(record));
    this.#logs.add(log);
    this.#logBytes += log.bytes;
  }

  #makeRoom(): void {
    const { spans } = this.#table;
    while (spans.size > this.#maxSpans) this.#forgetOldestSpan();
    while (this.#logs.size > this.#maxLogs) this.#forgetOldestLog();
    while (this.#table.bytes + this.#logBytes > this.#maxBytes) {
      if (this.#table.bytes > this.#logBytes) this.#forgetOldestSpan();
      else this.#forgetOldestLog();
    }
  }

  #forgetOldestSpan(): void {
    const oldest = this.#table.spans.oldest;
    if (oldest !== undefined) this.#table.remove(oldest.value);
  }

  #forgetOldestLog(): void {
    const { oldest } = this.#logs;
    if (oldest !== undefined) this.#removeLog(oldest);
  }

  #removeLogs(isForgotten: (log: LogRecord) => boolean): number {
    const before = this.#logs.size;
    let link = this.#logs.oldest;
    while (link !== undefined) {
      const next = link.newer;
      if (isForgotten(link.value.record)) this.#removeLog(link);
      link = next;
    }
    return before - this.#logs.size;
  }

  #removeLog(link: Link<KeptLog>): void {
    link.remove();
    this.#logBytes -= link.value.bytes;
  }
}

class KeptLog {
  readonly record: LogRecord;
  readonly bytes: number;

  constructor(record: LogRecord, bytes: number) {
    this.record = record;
    this.bytes = bytes;
  }
}

interface RootedTrace {
  readonly trace: KeptTrace;
  readonly root: SpanRecord;
}

function newerFirst(one: SpanRecord, other: SpanRecord): number {
  return other.startTime - one.startTime;
}

function matchesTrace(
  trace: KeptTrace,
  root: SpanRecord,
  { entityId, entityType, status, from, to }: Omit<TraceFilter, 'limit' | 'offset'>,
): boolean {
  if (entityId !== undefined && root.attributes['entity.id'] !== entityId) return false;
  if (entityType !== undefined && root.attributes['entity.type'] !== entityType) return false;
  if (from !== undefined && root.startTime < from) return false;
  if (to !== undefined && root.startTime > to) return false;
  return status === undefined || trace.status === status;
}
