import type { Span, SpanContext } from '@halyard/contracts';
import { context, type Span as ApiSpan, trace } from '@opentelemetry/api';
import { toSpanContext } from './span-context.ts';

/** A span that nobody is told of: only its ids go on, so that nothing below it is recorded either. */
export class SilentSpan implements Span {
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
