import {
  describedSpan,
  type Owner,
  type SpanRecord,
  spansOfUser,
  toMeasurement,
  type TraceStatus,
  toTraceStatus,
  type TraceSummary,
} from '@halyard/contracts';

/** A span as it is stored. */
export interface StoredSpan {
  readonly record: SpanRecord;
  /** Counts the spans in the order of arrival. */
  readonly number: number;
  /** About how much memory it takes. */
  readonly bytes: number;
}

/** The stored spans of one trace: at least one. */
export class StoredTrace {
  readonly traceId: string;
  /** Counts the traces in the order of arrival. */
  readonly number: number;
  /** By start time. */
  readonly spans: StoredSpan[] = [];
  #entryCount = 0;
  /** The start time under which the trace is listed. */
  startTime = 0;

  constructor(traceId: string, number: number) {
    this.traceId = traceId;
    this.number = number;
  }

  add(span: StoredSpan): void {
    this.spans.splice(this.spans.findLastIndex((other) => byStart(other, span) < 0) + 1, 0, span);
    if (span.record.isEntry) this.#entryCount += 1;
  }

  remove(span: StoredSpan): void {
    this.spans.splice(this.spans.indexOf(span), 1);
    if (span.record.isEntry) this.#entryCount -= 1;
  }

  /** The earliest entry; the earliest span when no entry is stored. */
  get root(): SpanRecord | undefined {
    return (this.#entryCount === 0 ? this.spans[0] : this.spans.find(isEntry))?.record;
  }

  /** The status of the latest entry, or of the root when no entry is stored. */
  get status(): TraceStatus {
    const latest = this.#entryCount === 0 ? this.root : this.spans.findLast(isEntry)?.record;
    return latest === undefined ? 'running' : toTraceStatus(latest);
  }

  belongsTo(owner: Owner): boolean {
    if (owner === 'anyone') return true;
    return this.spans.some((span) => userOfEntry(span) === owner.user);
  }

  /** All spans if no other user has an entry, else those of this user. */
  spansOf(userId: string): readonly StoredSpan[] {
    if (!this.spans.some((span) => ![null, userId].includes(userOfEntry(span)))) return this.spans;
    const placed = this.spans.map((span) => ({ ...span.record, entryOf: userOfEntry(span) }));
    const ids = spansOfUser(placed, userId);
    return this.spans.filter(({ record }) => ids.has(record.spanId));
  }

  toSummary(root: SpanRecord): TraceSummary {
    const { status, traceId } = this;
    const { 'entity.id': entityId, 'entity.type': entityType } = root.attributes;
    return {
      traceId,
      rootSpan: describedSpan(root),
      spanCount: this.spans.length,
      startTime: root.startTime,
      endTime: status === 'running' ? null : this.#latestEnd(),
      status,
      entityId: textOrNull(entityId),
      entityType: textOrNull(entityType),
      ...this.#usage(),
    };
  }

  #usage(): Pick<TraceSummary, 'models' | 'inputTokens' | 'outputTokens' | 'cost'> {
    const calls = this.spans.flatMap(({ record }) => toMeasurement(record) ?? []).filter(({ model }) => model !== null);
    const costs = calls.flatMap(({ cost }) => cost ?? []);
    return {
      models: [...new Set(calls.flatMap(({ model }) => model ?? []))].toSorted(),
      inputTokens: sum(calls.map(({ inputTokens }) => inputTokens)),
      outputTokens: sum(calls.map(({ outputTokens }) => outputTokens)),
      cost: costs.length === 0 ? null : sum(costs),
    };
  }

  #latestEnd(): number {
    return this.spans.reduce((latest, { record }) => Math.max(latest, record.endTime ?? latest), 0);
  }
}

function userOfEntry({ record }: StoredSpan): string | null {
  return record.isEntry ? textOrNull(record.attributes['user.id']) : null;
}

function isEntry({ record }: StoredSpan): boolean {
  return record.isEntry;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** Spans with the same start time in the order of arrival. */
export function byStart(one: StoredSpan, other: StoredSpan): number {
  return one.record.startTime - other.record.startTime || one.number - other.number;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
