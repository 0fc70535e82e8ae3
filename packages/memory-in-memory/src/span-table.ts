import type { SpanRecord } from '@halyard/contracts';
import { estimatedSpanBytes } from './estimated-telemetry-bytes.ts';
import { KeptSpan, KeptTrace } from './kept-trace.ts';
import { LinkedList } from './linked-list.ts';

/** Spans, in the order they last came, and their traces. A trace is there as long as one of its spans is. */
export class SpanTable {
  readonly spans: LinkedList<KeptSpan> = new LinkedList();
  /** In the order they came. */
  readonly traces: LinkedList<KeptTrace> = new LinkedList();
  bytes = 0;
  readonly #spansById = new Map<string, KeptSpan>();
  readonly #tracesById = new Map<string, KeptTrace>();

  span(spanId: string): KeptSpan | undefined {
    return this.#spansById.get(spanId);
  }

  trace(traceId: string): KeptTrace | undefined {
    return this.#tracesById.get(traceId);
  }

  put(record: SpanRecord): void {
    const before = this.#spansById.get(record.spanId);
    if (before === undefined) {
      this.#add(record);
    } else if (before.record.endTime === null || record.endTime !== null) {
      this.#replace(before, record);
    }
  }

  remove(span: KeptSpan): void {
    const { trace } = span;
    span.link?.remove();
    trace.remove(span);
    this.#spansById.delete(span.record.spanId);
    this.bytes -= span.bytes;
    if (trace.spans.size > 0) return;
    trace.link.remove();
    this.#tracesById.delete(trace.traceId);
  }

  #add(record: SpanRecord): void {
    let trace = this.#tracesById.get(record.traceId);
    if (trace === undefined) {
      trace = new KeptTrace(record.traceId, this.traces);
      this.#tracesById.set(record.traceId, trace);
    }
    const span = new KeptSpan(trace, record, estimatedSpanBytes(record));
    span.link = this.spans.add(span);
    trace.add(span);
    this.#spansById.set(record.spanId, span);
    this.bytes += span.bytes;
  }

  /** It is the newest then: an entry, written when it begins and when it ends, is forgotten after its children. */
  #replace(span: KeptSpan, record: SpanRecord): void {
    const { traceId, isEntry } = span.record;
    if (record.traceId !== traceId || record.isEntry !== isEntry) {
      this.remove(span);
      this.#add(record);
      return;
    }
    const bytes = estimatedSpanBytes(record);
    this.bytes += bytes - span.bytes;
    span.bytes = bytes;
    span.record = record;
    span.link?.moveToNewest();
  }
}
