import type { AsyncLocalStorage } from 'node:async_hooks';
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

/** The state that the spans of a recorder share. */
export interface SpanOwner {
  readonly activeSpan: AsyncLocalStorage<SpanContext>;
  readonly sink: TelemetrySink;
  readonly clock: { now(): number };
  readonly recordsContent: boolean;
}

/** A span whose record goes to the sink when it ends. */
export class InProcessSpan implements Span {
  readonly context: SpanContext;
  readonly #owner: SpanOwner;
  readonly #started: SpanRecord;
  #attributes: Attributes;
  #events: readonly SpanEvent[];
  #hasEnded = false;

  constructor(started: SpanRecord, owner: SpanOwner) {
    this.context = { traceId: started.traceId, spanId: started.spanId };
    this.#started = started;
    this.#owner = owner;
    this.#attributes = started.attributes;
    this.#events = started.events;
  }

  get isRecording(): boolean {
    return !this.#hasEnded;
  }

  setAttributes(attributes: Attributes): void {
    if (!this.#hasEnded) this.#attributes = { ...this.#attributes, ...attributes };
  }

  addEvent(name: string, attributes?: Attributes, content?: Attributes): void {
    if (this.#hasEnded) return;
    const { clock, recordsContent } = this.#owner;
    const recorded = recordsContent && content !== undefined ? { ...attributes, ...content } : attributes;
    this.#events = [...this.#events, { name, time: clock.now(), ...(recorded && { attributes: recorded }) }];
  }

  end({ attributes, describe, describeBytes, endTime, error, outcome }: SpanEnd = {}): void {
    if (this.#hasEnded) return;
    const started = this.#started;
    // It may retain everything that the work needed, so it is not stored.
    if (describe === undefined && started.describe !== undefined)
      this.#attributes = { ...describedBy(started.describe), ...this.#attributes };
    if (attributes !== undefined) this.setAttributes(attributes);
    const status = error === undefined ? started.status : this.#fail(error, outcome);
    this.#hasEnded = true;
    this.#owner.sink.spanEnded({
      ...started,
      endTime: endTime ?? this.#owner.clock.now(),
      attributes: this.#attributes,
      describe,
      describeBytes,
      status,
      events: this.#events,
    });
  }

  run<Result>(work: () => Result): Result {
    return this.#owner.activeSpan.run(this.context, work);
  }

  #fail(error: unknown, outcome = outcomeOfError(error)): SpanRecord['status'] {
    const { message, type } = spanFailure(error, this.#owner);
    this.setAttributes({ 'error.type': type, ...(outcome !== 'failed' && { 'halyard.outcome': outcome }) });
    return { code: outcome === 'failed' ? spanStatusCodes.error : spanStatusCodes.unset, message };
  }
}

/** A span of a trace that the caller does not record: only its ids are passed on. */
export class UnsampledSpan implements Span {
  readonly context: SpanContext;
  readonly isRecording = false;
  readonly #activeSpan: AsyncLocalStorage<SpanContext>;

  constructor(context: SpanContext, { activeSpan }: SpanOwner) {
    this.context = { ...context, isSampled: false };
    this.#activeSpan = activeSpan;
  }

  setAttributes(): void {}
  addEvent(): void {}
  end(): void {}

  run<Result>(work: () => Result): Result {
    return this.#activeSpan.run(this.context, work);
  }
}
