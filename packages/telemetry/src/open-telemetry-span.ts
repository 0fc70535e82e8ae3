import {
  type Attributes,
  type Span,
  type SpanContext,
  type SpanEvent,
  spanFailure,
  type SpanRecord,
  SpanSnapshot,
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
import { scopeName } from './scope.ts';
import { toSpanContext } from './span-context.ts';
import { version } from './version.ts';

export interface OpenTelemetrySpanOptions {
  readonly begun: Omit<SpanRecord, 'endTime' | 'events' | 'instrumentationScope' | 'status'>;
  /** Of the attributes that it begins with, those that what is said at its end does not change. */
  readonly own: Attributes;
  readonly clock: { now(): number };
  readonly sink: TelemetrySink;
  /** What is to be said of it when it ends; what is its own wins. */
  readonly saysAtEnd: () => Attributes;
  /** Whether the recorder still records. */
  readonly isOpen: () => boolean;
}

type SpanEnd = NonNullable<Parameters<Span['end']>[0]>;

const scope: SpanRecord['instrumentationScope'] = { name: scopeName, version };
const ourSpan = createContextKey('a span of Halyard');

/** A span of OpenTelemetry, and what the sink is told of it. */
export class OpenTelemetrySpan implements Span {
  readonly context: SpanContext;
  readonly #span: ApiSpan;
  readonly #options: OpenTelemetrySpanOptions;
  #attributes: Attributes;
  #own: Attributes;
  #events: readonly SpanEvent[] = [];
  #hasEnded = false;

  constructor(span: ApiSpan, options: OpenTelemetrySpanOptions) {
    this.context = toSpanContext(span.spanContext());
    this.#span = span;
    this.#options = options;
    this.#attributes = options.begun.attributes;
    this.#own = options.own;
  }

  get isRecording(): boolean {
    return !this.#hasEnded && this.#options.isOpen();
  }

  tellStarted(): void {
    this.#options.sink.spanStarted(this.#record(null, { code: spanStatusCodes.unset }));
  }

  setAttributes(attributes: Attributes): void {
    if (this.#hasEnded) return;
    this.#attributes = { ...this.#attributes, ...attributes };
    this.#own = { ...this.#own, ...attributes };
    this.#span.setAttributes(attributes);
  }

  addEvent(name: string, attributes?: Attributes): void {
    if (this.#hasEnded) return;
    const time = this.#options.clock.now();
    this.#events = [...this.#events, { name, time, ...(attributes && { attributes }) }];
    this.#span.addEvent(name, attributes ?? {}, toHrTime(time));
  }

  end({ attributes, endTime, error }: SpanEnd = {}): void {
    if (this.#hasEnded) return;
    this.setAttributes({ ...this.#options.saysAtEnd(), ...this.#own, ...attributes });
    const status = error === undefined ? { code: spanStatusCodes.unset } : this.#fail(error);
    this.#hasEnded = true;
    const ended = Math.max(endTime ?? this.#options.clock.now(), this.#options.begun.startTime);
    this.#span.end(toHrTime(ended));
    if (this.#options.isOpen()) this.#options.sink.spanEnded(this.#record(ended, status));
  }

  run<Result>(work: () => Result): Result {
    return context.with(trace.setSpan(context.active(), this.#span).setValue(ourSpan, true), work);
  }

  #fail(error: unknown): SpanRecord['status'] {
    const { message, type } = spanFailure(error);
    this.setAttributes({ 'error.type': type });
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
    return { code: spanStatusCodes.error, message };
  }

  #record(endTime: number | null, status: SpanRecord['status']): SpanRecord {
    const attributes = this.#attributes;
    const events = this.#events;
    return new SpanSnapshot({
      ...this.#options.begun,
      attributes,
      events,
      endTime,
      status,
      instrumentationScope: scope,
    });
  }
}

/** Whether one of our spans runs around `surroundings`. */
export function runsOurs(surroundings: Context): boolean {
  return surroundings.getValue(ourSpan) === true;
}
