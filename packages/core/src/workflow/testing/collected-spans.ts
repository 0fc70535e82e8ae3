import { describedSpan, NotFoundError, type SpanRecord, type TelemetrySink } from '@halyard/contracts';

/** A sink that collects spans, with all their attributes. */
export class CollectedSpans implements TelemetrySink {
  readonly ended: SpanRecord[] = [];
  readonly #spans = new Map<string, SpanRecord>();

  spanStarted(span: SpanRecord): void {
    this.#spans.set(span.spanId, span);
  }

  spanEnded(span: SpanRecord): void {
    const described = describedSpan(span);
    this.ended.push(described);
    this.#spans.set(span.spanId, described);
  }

  logged(): void {}

  /** The latest record of each span, in the order in which they started. */
  get all(): readonly SpanRecord[] {
    return [...this.#spans.values()];
  }

  get open(): readonly string[] {
    const ended = new Set(this.ended.map(({ spanId }) => spanId));
    return this.all.filter(({ spanId }) => !ended.has(spanId)).map(({ name }) => name);
  }

  named(name: string): readonly SpanRecord[] {
    return this.all.filter((span) => span.name === name);
  }

  one(name: string): SpanRecord {
    const [span, ...others] = this.named(name);
    if (span === undefined || others.length > 0) throw new NotFoundError('span', name);
    return span;
  }

  /** Each span below its parent: `workflow order`, `  step price`. */
  tree(parentSpanId: string | null = null, indent = ''): readonly string[] {
    return this.all
      .filter((span) => span.parentSpanId === parentSpanId)
      .flatMap(({ name, spanId }) => [indent + name, ...this.tree(spanId, `${indent}  `)]);
  }
}
