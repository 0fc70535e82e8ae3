import type { SpanRecord } from '@halyard/contracts';
import { KeptTrace } from './kept-trace.ts';

/** Spans in order, to be looked at: each once, with the trace it is of. */
export class KeptTraces {
  readonly #spans = new Map<string, SpanRecord>();
  readonly #traces = new Map<string, KeptTrace>();

  /** @param records in the order they came; a span may be among them several times. */
  constructor(records: readonly SpanRecord[]) {
    for (const record of records) {
      const before = this.#spans.get(record.spanId);
      if (before !== undefined && before.endTime !== null && record.endTime === null) continue;
      // It takes its place where it came last.
      if (before !== undefined) this.#spans.delete(record.spanId);
      this.#spans.set(record.spanId, record);
    }
    for (const record of this.#spans.values()) {
      const trace = this.#traces.get(record.traceId);
      if (trace === undefined) this.#traces.set(record.traceId, new KeptTrace(record));
      else trace.add(record);
    }
  }

  get spanCount(): number {
    return this.#spans.size;
  }

  get traceCount(): number {
    return this.#traces.size;
  }

  span(spanId: string): SpanRecord | undefined {
    return this.#spans.get(spanId);
  }

  trace(traceId: string): KeptTrace | undefined {
    return this.#traces.get(traceId);
  }

  /** Newest first. */
  spans(): readonly SpanRecord[] {
    return [...this.#spans.values()].toReversed();
  }

  /** Newest first. */
  traces(): readonly KeptTrace[] {
    return [...this.#traces.values()].toReversed();
  }
}
