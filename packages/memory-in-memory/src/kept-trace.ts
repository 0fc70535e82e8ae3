import { type Owner, type SpanRecord, spanStatusCodes, type TraceStatus, type TraceSummary } from '@halyard/contracts';
import { type Link, LinkedList } from './linked-list.ts';

/** A span and its places in the order of all spans, and in its trace. */
export class KeptSpan {
  readonly trace: KeptTrace;
  record: SpanRecord;
  bytes: number;
  link: Link<KeptSpan> | undefined = undefined;
  linkInTrace: Link<KeptSpan> | undefined = undefined;

  constructor(trace: KeptTrace, record: SpanRecord, bytes: number) {
    this.trace = trace;
    this.record = record;
    this.bytes = bytes;
  }
}

/** The spans of a trace that are there. What it says of itself is worked out when it is asked, so that spans can come and go in any order at no cost. */
export class KeptTrace {
  readonly traceId: string;
  readonly link: Link<KeptTrace>;
  /** In the order they came. */
  readonly spans: LinkedList<KeptSpan> = new LinkedList();
  /** Those of the spans that are entries. */
  readonly #entries: KeptSpan[] = [];

  constructor(traceId: string, traces: LinkedList<KeptTrace>) {
    this.traceId = traceId;
    this.link = traces.add(this);
  }

  add(span: KeptSpan): void {
    span.linkInTrace = this.spans.add(span);
    if (span.record.isEntry) this.#entries.push(span);
  }

  remove(span: KeptSpan): void {
    span.linkInTrace?.remove();
    const place = this.#entries.indexOf(span);
    if (place >= 0) this.#entries.splice(place, 1);
  }

  isOf(owner: Owner): boolean {
    if (owner === 'anyone') return true;
    return this.#entries.some(({ record }) => record.attributes['user.id'] === owner.user);
  }

  get root(): SpanRecord | undefined {
    let root: SpanRecord | undefined;
    for (const { record } of this.#entries) {
      if (root === undefined || record.startTime < root.startTime) root = record;
    }
    return root ?? this.#earliest();
  }

  /** As its latest entry stands; while none is there, as its root does. */
  get status(): TraceStatus {
    let latest: SpanRecord | undefined;
    for (const { record } of this.#entries) {
      if (latest === undefined || record.startTime >= latest.startTime) latest = record;
    }
    latest ??= this.#earliest();
    if (latest === undefined || latest.endTime === null) return 'running';
    return latest.status.code === spanStatusCodes.error ? 'error' : 'ok';
  }

  toSummary(rootSpan: SpanRecord): TraceSummary {
    const { status, traceId, spans } = this;
    return {
      traceId,
      rootSpan,
      spanCount: spans.size,
      startTime: rootSpan.startTime,
      endTime: status === 'running' ? null : this.#latestEnd(),
      status,
      entityId: textOrNull(rootSpan.attributes['entity.id']),
      entityType: textOrNull(rootSpan.attributes['entity.type']),
    };
  }

  /** By their beginning, those of one moment in the order they came. */
  toRecords(): readonly SpanRecord[] {
    const records: SpanRecord[] = [];
    for (let link = this.spans.oldest; link !== undefined; link = link.newer) records.push(link.value.record);
    return records.toSorted((one, other) => one.startTime - other.startTime);
  }

  #earliest(): SpanRecord | undefined {
    let earliest = this.spans.oldest?.value.record;
    for (let link = this.spans.oldest?.newer; link !== undefined; link = link.newer) {
      const { record } = link.value;
      if (earliest === undefined || record.startTime < earliest.startTime) earliest = record;
    }
    return earliest;
  }

  #latestEnd(): number | null {
    let latest: number | null = null;
    for (let link = this.spans.oldest; link !== undefined; link = link.newer) {
      const { endTime } = link.value.record;
      if (endTime !== null && (latest === null || endTime > latest)) latest = endTime;
    }
    return latest;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
