import type { SpanRecord } from '@halyard/contracts';
import { SortedArray } from '../sorted-array.ts';
import { estimateSpanBytes } from './estimate-telemetry-bytes.ts';
import { byStart, type StoredSpan, StoredTrace } from './stored-trace.ts';

/**
 * The spans that arrived last, in a ring: a new span takes the place of the oldest one. Each write
 * updates the indexes that are read.
 */
export class SpanIndex {
  readonly traces: Map<string, StoredTrace> = new Map();
  /** By the start time of the root. */
  readonly tracesByStart: SortedArray<StoredTrace> = new SortedArray(
    (one, other) => one.startTime - other.startTime || one.number - other.number,
  );
  readonly byStart: SortedArray<StoredSpan> = new SortedArray(byStart);
  readonly #spans = new Map<string, StoredSpan>();
  /** The spans of an `entity.id`. */
  readonly #byEntity = new Map<string, SortedArray<StoredSpan>>();
  readonly #ring: (StoredSpan | undefined)[] = [];
  readonly #maxSpans: number;
  /**
   * The number of the oldest span that may still be in the ring. The place of a span is its number
   * modulo the size of the ring.
   */
  #oldest = 0;
  #nextNumber = 0;
  #traceCount = 0;
  #bytes = 0;

  constructor(maxSpans: number) {
    this.#maxSpans = maxSpans;
  }

  get size(): number {
    return this.#spans.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(spanId: string): SpanRecord | undefined {
    return this.#spans.get(spanId)?.record;
  }

  ofEntity(entityId: string): SortedArray<StoredSpan> | undefined {
    return this.#byEntity.get(entityId);
  }

  /**
   * A running record does not replace an ended one. A span that is replaced keeps its position in
   * the order of arrival.
   */
  add(record: SpanRecord): void {
    const before = this.#spans.get(record.spanId);
    if (before !== undefined && before.record.endTime !== null && record.endTime === null) return;
    if (before !== undefined) this.#remove(before);
    else if (this.#nextNumber - this.#oldest === this.#maxSpans) this.removeOldest();

    const span: StoredSpan = { record, number: before?.number ?? this.#nextNumber, bytes: estimateSpanBytes(record) };
    if (before === undefined) this.#nextNumber += 1;
    this.#ring[span.number % this.#maxSpans] = span;
    this.#spans.set(record.spanId, span);
    this.byStart.add(span);
    this.#bytes += span.bytes;
    this.#addToTrace(span);
    const entityId = record.attributes['entity.id'];
    if (typeof entityId === 'string') this.#addToEntity(entityId, span);
  }

  removeOldest(): void {
    const span = this.#ring[this.#oldest % this.#maxSpans];
    this.#oldest += 1;
    if (span !== undefined) this.#remove(span);
  }

  removeWhere(isRemoved: (record: SpanRecord) => boolean): void {
    for (const span of this.#spans.values()) if (isRemoved(span.record)) this.#remove(span);
  }

  #addToTrace(span: StoredSpan): void {
    const { traceId } = span.record;
    let trace = this.traces.get(traceId);
    if (trace === undefined) {
      trace = new StoredTrace(traceId, this.#traceCount);
      this.#traceCount += 1;
      this.traces.set(traceId, trace);
      trace.startTime = span.record.startTime;
      this.tracesByStart.add(trace);
    }
    trace.add(span);
    this.#listAgain(trace);
  }

  #addToEntity(entityId: string, span: StoredSpan): void {
    const spans = this.#byEntity.get(entityId) ?? new SortedArray(byStart);
    this.#byEntity.set(entityId, spans);
    spans.add(span);
  }

  #remove(span: StoredSpan): void {
    const { attributes, spanId, traceId } = span.record;
    this.#ring[span.number % this.#maxSpans] = undefined;
    this.#spans.delete(spanId);
    this.byStart.remove(span);
    this.#bytes -= span.bytes;
    const trace = this.traces.get(traceId);
    trace?.remove(span);
    if (trace !== undefined) this.#listAgain(trace);
    const entityId = attributes['entity.id'];
    if (typeof entityId !== 'string') return;
    const spans = this.#byEntity.get(entityId);
    spans?.remove(span);
    if (spans?.size === 0) this.#byEntity.delete(entityId);
  }

  /**
   * Called after a change of its spans: the trace moves when its root has changed, and is removed
   * with its last span.
   */
  #listAgain(trace: StoredTrace): void {
    const startTime = trace.root?.startTime;
    if (startTime === trace.startTime) return;
    this.tracesByStart.remove(trace);
    if (startTime === undefined) this.traces.delete(trace.traceId);
    else {
      trace.startTime = startTime;
      this.tracesByStart.add(trace);
    }
  }
}
