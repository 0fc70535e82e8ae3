import type { Span, SpanContext } from '@halyard/contracts';
import { context, type Span as ApiSpan, trace } from '@opentelemetry/api';
import { toSpanContext } from './span-context.ts';

/**
 * A span that is not recorded. Its ids are passed on, so that its children are not recorded either.
 */
export class UnrecordedSpan implements Span {
  readonly context: SpanContext;
  readonly isRecording = false;
  readonly #span: ApiSpan;

  constructor(span: ApiSpan) {
    this.context = toSpanContext(span.spanContext());
    this.#span = span;
  }

  setAttributes(): void {}
  addEvent(): void {}

  end(): void {
    this.#span.end();
  }

  run<Result>(work: () => Result): Result {
    return context.with(trace.setSpan(context.active(), this.#span), work);
  }
}
