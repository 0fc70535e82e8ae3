import {
  type Attributes,
  describedBy,
  outcomeOfError,
  type Span,
  type SpanContext,
  type SpanEnd,
  type SpanEvent,
  spanFailure,
  type SpanRecord,
  spanStatusCodes,
  type TelemetrySink,
} from '@halyard/contracts';
import {
  type Context,
  context,
  createContextKey,
  type Span as ApiSpan,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { toHrTime } from './hr-time.ts';
import { toSpanContext } from './span-context.ts';

export interface OpenTelemetrySpanOptions {
  /** The record as the sink received it when the span started. */
  readonly started: SpanRecord;
  /**
   * The attributes that the span was given: those that are described when it ends do not replace
   * them.
   */
  readonly attributes: Attributes;
  readonly describe: (() => Attributes) | undefined;
  readonly clock: { now(): number };
  readonly sink: TelemetrySink;
  readonly recordsContent: boolean;
  /** Whether the recorder still records. */
  readonly isOpen: () => boolean;
}

const halyardSpan = createContextKey('a span of Halyard');

/** A span of OpenTelemetry whose record also goes to the sink. */
export class OpenTelemetrySpan implements Span {
  readonly context: SpanContext;
  readonly #span: ApiSpan;
  readonly #options: OpenTelemetrySpanOptions;
  #attributes: Attributes;
  #events: readonly SpanEvent[] = [];
  #hasEnded = false;

  constructor(span: ApiSpan, options: OpenTelemetrySpanOptions) {
    this.context = toSpanContext(span.spanContext());
    this.#span = span;
    this.#options = options;
    this.#attributes = options.attributes;
  }

  get isRecording(): boolean {
    return !this.#hasEnded && this.#options.isOpen();
  }

  setAttributes(attributes: Attributes): void {
    if (this.#hasEnded) return;
    this.#attributes = { ...this.#attributes, ...attributes };
    this.#span.setAttributes(attributes);
  }

  addEvent(name: string, attributes?: Attributes, content?: Attributes): void {
    if (this.#hasEnded) return;
    const { clock, recordsContent } = this.#options;
    const time = clock.now();
    const recorded = recordsContent && content !== undefined ? { ...attributes, ...content } : attributes;
    this.#events = [...this.#events, { name, time, ...(recorded && { attributes: recorded }) }];
    this.#span.addEvent(name, recorded ?? {}, toHrTime(time));
  }

  end({ attributes, describe = this.#options.describe, endTime, error, outcome }: SpanEnd = {}): void {
    if (this.#hasEnded) return;
    const { clock, isOpen, sink, started } = this.#options;
    this.setAttributes({ ...(describe && describedBy(describe)), ...this.#attributes, ...attributes });
    const status = error === undefined ? started.status : this.#fail(error, outcome);
    this.#hasEnded = true;
    const ended = Math.max(endTime ?? clock.now(), started.startTime);
    this.#span.end(toHrTime(ended));
    if (isOpen())
      sink.spanEnded({ ...started, endTime: ended, attributes: this.#attributes, status, events: this.#events });
  }

  run<Result>(work: () => Result): Result {
    return context.with(trace.setSpan(context.active(), this.#span).setValue(halyardSpan, true), work);
  }

  #fail(error: unknown, outcome = outcomeOfError(error)): SpanRecord['status'] {
    const { message, type } = spanFailure(error, this.#options);
    this.setAttributes({ 'error.type': type, ...(outcome !== 'failed' && { 'halyard.outcome': outcome }) });
    if (outcome !== 'failed') return { code: spanStatusCodes.unset, message };
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
    return { code: spanStatusCodes.error, message };
  }
}

/** Whether the code that `active` belongs to runs inside a span of Halyard. */
export function isInHalyardSpan(active: Context): boolean {
  return active.getValue(halyardSpan) === true;
}
