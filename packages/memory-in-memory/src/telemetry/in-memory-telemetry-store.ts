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
import { type Link, LinkedList } from '../conversations/linked-list.ts';
import { FirstFew } from '../executions/first-few.ts';
import { briefAttributes } from './brief-attributes.ts';
import { estimatedLogBytes } from './estimated-telemetry-bytes.ts';
import { KeptSpans } from './kept-spans.ts';
import type { KeptTrace } from './kept-trace.ts';
import { matchesLog } from './matches-log.ts';

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
 * however much is kept; who reads after that looks at all that is kept once.
 */
export class InMemoryTelemetryStore implements TelemetryStore {
  readonly name = 'in-memory';
  readonly isPersistent = false;
  readonly #maxLogs: number;
  readonly #maxBytes: number;
  readonly #spans: KeptSpans;
  readonly #logs = new LinkedList<KeptLog>();
  #logBytes = 0;

  constructor({
    maxSpans = 10_000,
    maxLogs = 50_000,
    maxBytes = 64 * 1024 * 1024,
  }: InMemoryTelemetryStoreOptions = {}) {
    this.#spans = new KeptSpans(maxSpans);
    this.#maxLogs = maxLogs;
    this.#maxBytes = maxBytes;
  }

  async write({ spans, logs }: TelemetryBatch): Promise<void> {
    for (const span of spans) this.keep(span);
    for (const log of logs) {
      this.#addLog(log);
      this.#makeRoom();
    }
  }

  keep(span: SpanRecord): void {
    this.#spans.add(span);
    this.#makeRoom();
  }

  async findSpan(owner: Owner, spanId: string): Promise<SpanRecord | undefined> {
    const { traces } = this.#spans;
    const span = traces.span(spanId);
    return span !== undefined && traces.trace(span.traceId)?.isOf(owner) === true ? span : undefined;
  }

  async findTrace(owner: Owner, traceId: string): Promise<readonly SpanRecord[]> {
    const trace = this.#spans.traces.trace(traceId);
    return trace?.isOf(owner) === true ? trace.toRecords() : [];
  }

  async listTraces(
    owner: Owner,
    { limit, offset, ...filter }: TraceFilter,
  ): Promise<{ readonly traces: readonly TraceSummary[]; readonly total: number }> {
    const newest = new FirstFew<RootedTrace>(offset + limit, (one, other) => newerFirst(one.root, other.root));
    let total = 0;
    for (const trace of this.#spans.traces.traces()) {
      const { root } = trace;
      if (!trace.isOf(owner) || !matchesTrace(trace, root, filter)) continue;
      newest.add({ trace, root });
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
    const { traces } = this.#spans;
    for (const span of traces.spans()) {
      const attributes = briefAttributes(span);
      if (attributes['entity.id'] !== entityId || attributes['entity.type'] !== entityType) continue;
      if (userId !== undefined && attributes['user.id'] !== userId) continue;
      if (traces.trace(span.traceId)?.isOf(owner) !== true) continue;
      newest.add(span);
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
    const { spanCount, traceCount } = this.#spans.traces;
    return { traces: traceCount, spans: spanCount, logs: this.#logs.size };
  }

  async deleteUser(userId: string): Promise<number> {
    const { traces } = this.#spans;
    const owner = { user: userId };
    const forgotten = new Set(
      traces
        .traces()
        .filter((trace) => trace.isOf(owner))
        .map(({ traceId }) => traceId),
    );
    if (forgotten.size > 0) this.#spans.filter(({ traceId }) => !forgotten.has(traceId));
    this.#removeLogs(({ attributes }) => attributes['userId'] === userId);
    return forgotten.size;
  }

  async purge(before: number): Promise<number> {
    const count = this.#spans.traces.spanCount;
    this.#spans.filter(({ startTime }) => startTime >= before);
    return count - this.#spans.traces.spanCount + this.#removeLogs(({ timestamp }) => timestamp < before);
  }

  #addLog(record: LogRecord): void {
    const log = new KeptLog(record, estimatedLogBytes(record));
    this.#logs.add(log);
    this.#logBytes += log.bytes;
  }

  #makeRoom(): void {
    while (this.#logs.size > this.#maxLogs) this.#forgetOldestLog();
    while (this.#spans.bytes + this.#logBytes > this.#maxBytes) {
      if (this.#spans.bytes > this.#logBytes) this.#spans.forgetOldest();
      else this.#forgetOldestLog();
    }
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
  const attributes = briefAttributes(root);
  if (entityId !== undefined && attributes['entity.id'] !== entityId) return false;
  if (entityType !== undefined && attributes['entity.type'] !== entityType) return false;
  if (from !== undefined && root.startTime < from) return false;
  if (to !== undefined && root.startTime > to) return false;
  return status === undefined || trace.status === status;
}
