import { NotFoundError, type SpanRecord, type TelemetrySink } from '@halyard/contracts';

/** What a recorder tells, kept for a test to look at. */
export class CollectedSpans implements TelemetrySink {
  readonly ended: SpanRecord[] = [];
  readonly #started = new Map<string, SpanRecord>();

  spanStarted(span: SpanRecord): void {
    this.#started.set(span.spanId, span);
  }

  spanEnded(span: SpanRecord): void {
    this.ended.push(span);
  }

  logged(): void {}

  /** In the order in which they began. */
  get all(): readonly SpanRecord[] {
    return [...this.#started.values()];
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

  /** Each span below the one that it is in: `workflow order`, `  step price`. */
  tree(parentSpanId: string | null = null, indent = ''): readonly string[] {
    return this.all
      .filter((span) => span.parentSpanId === parentSpanId)
      .flatMap(({ name, spanId }) => [indent + name, ...this.tree(spanId, `${indent}  `)]);
  }
}
