import { type Owner, type SpanRecord, spanStatusCodes, type TraceStatus, type TraceSummary } from '@halyard/contracts';
import { briefAttributes } from './brief-attributes.ts';

/** The spans of a trace that are there, in the order they came. */
export class KeptTrace {
  readonly traceId: string;
  readonly #spans: SpanRecord[];

  constructor(first: SpanRecord) {
    this.traceId = first.traceId;
    this.#spans = [first];
  }

  add(record: SpanRecord): void {
    this.#spans.push(record);
  }

  isOf(owner: Owner): boolean {
    if (owner === 'anyone') return true;
    return this.#spans.some((span) => span.isEntry && briefAttributes(span)['user.id'] === owner.user);
  }

  get root(): SpanRecord {
    let root: SpanRecord | undefined;
    for (const span of this.#spans)
      if (span.isEntry && (root === undefined || span.startTime < root.startTime)) root = span;
    return root ?? this.#earliest();
  }

  /** As its latest entry stands; while none is there, as its root does. */
  get status(): TraceStatus {
    let latest: SpanRecord | undefined;
    for (const span of this.#spans)
      if (span.isEntry && (latest === undefined || span.startTime >= latest.startTime)) latest = span;
    const { endTime, status } = latest ?? this.#earliest();
    if (endTime === null) return 'running';
    return status.code === spanStatusCodes.error ? 'error' : 'ok';
  }

  toSummary(rootSpan: SpanRecord): TraceSummary {
    const { status, traceId } = this;
    const { 'entity.id': entityId, 'entity.type': entityType } = briefAttributes(rootSpan);
    return {
      traceId,
      rootSpan,
      spanCount: this.#spans.length,
      startTime: rootSpan.startTime,
      endTime: status === 'running' ? null : this.#latestEnd(),
      status,
      entityId: textOrNull(entityId),
      entityType: textOrNull(entityType),
    };
  }

  /** By their beginning, those of one moment in the order they came. */
  toRecords(): readonly SpanRecord[] {
    return this.#spans.toSorted((one, other) => one.startTime - other.startTime);
  }

  #earliest(): SpanRecord {
    return this.#spans.reduce((earliest, span) => (span.startTime < earliest.startTime ? span : earliest));
  }

  #latestEnd(): number | null {
    let latest: number | null = null;
    for (const { endTime } of this.#spans)
      if (endTime !== null && (latest === null || endTime > latest)) latest = endTime;
    return latest;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
