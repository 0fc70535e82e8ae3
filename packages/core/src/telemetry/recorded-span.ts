import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type AttributeValue,
  isHalyardError,
  type NewSpan,
  type Span,
  type SpanContext,
  type SpanEvent,
  spanKinds,
  type SpanKind,
  type SpanLink,
  type SpanRecord,
  spanStatusCodes,
} from '@halyard/contracts';
import { OpenAttributes } from './open-attributes.ts';
import { newSpanId, newTraceId } from './random-ids.ts';

/** What the spans of a recorder share. */
export interface SpanSurroundings {
  readonly activeSpan: AsyncLocalStorage<SpanContext>;
  readonly resource: Attributes;
  now(): number;
  ended(span: RecordedSpan): void;
}

type Status = SpanRecord['status'];
type SpanEnd = NonNullable<Parameters<Span['end']>[0]>;

const scope: SpanRecord['instrumentationScope'] = { name: '@halyard/core' };
const unset: Status = { code: spanStatusCodes.unset };
const none: readonly never[] = [];
const greatestMessage = 4096;

/** A span as it runs, and the record of it once it has ended: one object for both, as there are many. */
export class RecordedSpan implements Span, SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly isEntry: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: number;
  endTime: number | null = null;
  attributes: Attributes;
  status: Status = unset;
  events: readonly SpanEvent[] = none;
  readonly links: readonly SpanLink[];
  readonly resource: Attributes;
  readonly instrumentationScope: SpanRecord['instrumentationScope'] = scope;
  readonly #surroundings: SpanSurroundings;
  #ownsAttributes = false;
  #later: (() => Attributes) | undefined = undefined;

  constructor(surroundings: SpanSurroundings, span: NewSpan, parent: SpanContext | undefined) {
    this.traceId = parent?.traceId ?? newTraceId();
    this.spanId = newSpanId();
    this.parentSpanId = parent?.spanId ?? null;
    this.isEntry = parent === undefined || span.isEntry === true;
    this.name = span.name;
    this.kind = span.kind ?? spanKinds.internal;
    this.startTime = surroundings.now();
    this.attributes = span.attributes ?? noAttributes;
    this.links = span.links === undefined || span.links.length === 0 ? none : span.links.map(toLink);
    this.resource = surroundings.resource;
    this.#surroundings = surroundings;
  }

  get context(): SpanContext {
    return this;
  }

  get isRecording(): boolean {
    return this.endTime === null;
  }

  setAttributes(attributes: Attributes): void {
    if (this.endTime === null) this.#set(attributes);
  }

  /** Attributes that cost something to make: made when the span is looked at, at the latest when it is written. */
  setLater(make: () => Attributes): void {
    if (this.endTime !== null) return;
    const earlier = this.#later;
    this.#later = earlier === undefined ? make : () => ({ ...earlier(), ...make() });
  }

  addEvent(name: string, attributes?: Attributes): void {
    if (this.endTime !== null) return;
    const event = { name, time: this.#surroundings.now(), ...(attributes && { attributes }) };
    this.events = [...this.events, event];
  }

  end({ attributes, endTime, error }: SpanEnd = {}): void {
    if (this.endTime !== null) return;
    if (attributes !== undefined) this.#set(attributes);
    if (error !== undefined) {
      this.#set({ 'error.type': errorType(error) });
      this.status = { code: spanStatusCodes.error, message: errorMessage(error) };
    }
    this.endTime = endTime ?? this.#surroundings.now();
    this.#surroundings.ended(this);
  }

  run<Result>(work: () => Result): Result {
    return this.#surroundings.activeSpan.run(this, work);
  }

  /** Makes what was put off, and lets go of what it was to be made of. Never throws. */
  complete(): void {
    const make = this.#later;
    if (make === undefined) return;
    this.#later = undefined;
    try {
      this.#set(make());
    } catch (error) {
      this.#set({ 'halyard.unreadable': errorMessage(error) });
    }
  }

  #set(attributes: Attributes): void {
    // Those are made for one span each.
    if (this.#ownsAttributes || this.attributes instanceof OpenAttributes) Object.assign(this.attributes, attributes);
    else this.attributes = new OwnAttributes(this.attributes, attributes);
    this.#ownsAttributes = true;
  }
}

/** Of a trace whose caller decided that it is not recorded: only its ids go on. */
export class UnsampledSpan implements Span {
  readonly context: SpanContext;
  readonly isRecording = false;
  readonly #activeSpan: AsyncLocalStorage<SpanContext>;

  constructor(activeSpan: AsyncLocalStorage<SpanContext>, { traceId }: SpanContext) {
    this.context = { traceId, spanId: newSpanId(), isSampled: false };
    this.#activeSpan = activeSpan;
  }

  setAttributes(): void {}
  addEvent(): void {}
  end(): void {}

  run<Result>(work: () => Result): Result {
    return this.#activeSpan.run(this.context, work);
  }
}

const noAttributes: Attributes = {};

// A class, as V8 takes literals that live long for ones that live for ever.
class OwnAttributes implements Attributes {
  readonly [name: string]: AttributeValue | undefined;

  constructor(before: Attributes, after: Attributes) {
    Object.assign(this, before, after);
  }
}

function toLink({ spanId, traceId }: SpanContext): SpanLink {
  return { traceId, spanId };
}

function errorType(error: unknown): string {
  if (isHalyardError(error)) return error.code;
  return error instanceof Error ? error.constructor.name : typeof error;
}

function errorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  return typeof message === 'string' ? message.slice(0, greatestMessage) : 'unknown error';
}
