import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type AttributeValue,
  type NewSpan,
  type Span,
  type SpanContext,
  type SpanDetails,
  type SpanEvent,
  spanFailure,
  spanKinds,
  type SpanKind,
  type SpanLink,
  type SpanRecord,
  SpanSnapshot,
  spanStatusCodes,
} from '@halyard/contracts';
import { newSpanId, newTraceId, randomInt32, spanIdOf } from '../ids/random-ids.ts';

/** Where code runs: it, and what it awaits, has one active span at a time. */
export class Frame {
  active: SpanContext;

  constructor(active: SpanContext) {
    this.active = active;
  }
}

/** What the spans of a recorder share. */
export interface SpanSurroundings {
  readonly frames: AsyncLocalStorage<Frame>;
  readonly resource: Attributes;
  /** Milliseconds since the epoch. */
  readonly began: number;
  now(): number;
  ended(span: RecordedSpan): void;
}

type Status = SpanRecord['status'];
type SpanEnd = NonNullable<Parameters<Span['end']>[0]>;

const scope: SpanRecord['instrumentationScope'] = { name: '@halyard/core' };
const unset: Status = { code: spanStatusCodes.unset };
const none: readonly never[] = [];
/** What content of more bytes is made of is not kept: the content itself is shorter. */
const greatestHeld = 16_384;

/** A span as it runs, and the record of it once it has ended: one object for both, as there are many. */
export class RecordedSpan implements Span, SpanRecord {
  readonly traceId: string;
  readonly isEntry: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  heldBytes: number | undefined = undefined;
  status: Status = unset;
  events: readonly SpanEvent[] = none;
  readonly links: readonly SpanLink[];
  readonly #surroundings: SpanSurroundings;
  readonly #parent: SpanContext | undefined;
  // Small integers need no memory of their own, as ids and times do. Ids are put together when they are asked for, times are milliseconds after the recorder began.
  readonly #idHigh = randomInt32();
  readonly #idLow = randomInt32();
  readonly #beganAfter: number;
  #endedAfter: number | null = null;
  #said: Attributes;
  #ownsSaid = false;
  #frame: Frame | undefined = undefined;
  #details: SpanDetails | undefined;

  constructor(surroundings: SpanSurroundings, span: NewSpan, parent: SpanContext | undefined) {
    this.traceId = parent?.traceId ?? newTraceId();
    this.#parent = parent;
    this.isEntry = parent === undefined || span.isEntry === true;
    this.name = span.name;
    this.kind = span.kind ?? spanKinds.internal;
    this.#beganAfter = (span.startTime ?? surroundings.now()) - surroundings.began;
    this.links = span.links === undefined || span.links.length === 0 ? none : span.links.map(toLink);
    this.#surroundings = surroundings;
    this.#said = span.attributes ?? noAttributes;
    this.#details = span.details;
  }

  get context(): SpanContext {
    return this;
  }

  get spanId(): string {
    return spanIdOf(this.#idHigh, this.#idLow);
  }

  get parentSpanId(): string | null {
    return this.#parent?.spanId ?? null;
  }

  get isRecording(): boolean {
    return this.#endedAfter === null;
  }

  get startTime(): number {
    return this.#surroundings.began + this.#beganAfter;
  }

  get endTime(): number | null {
    return this.#endedAfter === null ? null : this.#surroundings.began + this.#endedAfter;
  }

  get resource(): Attributes {
    return this.#surroundings.resource;
  }

  get instrumentationScope(): SpanRecord['instrumentationScope'] {
    return scope;
  }

  get attributes(): Attributes {
    const details = this.#details;
    if (details === undefined) return this.#said;
    const all = new OwnAttributes(details.toAttributes(), contentOf(details), this.#said);
    if (this.#endedAfter !== null) this.#sayAll(all);
    return all;
  }

  get briefAttributes(): Attributes {
    const details = this.#details;
    return details === undefined ? this.#said : new OwnAttributes(details.toAttributes(), this.#said);
  }

  /** For who writes it down: most of it is only put together when it is asked for. */
  toJSON(): SpanRecord {
    return new SpanSnapshot(this);
  }

  setAttributes(attributes: Attributes): void {
    if (this.#endedAfter === null) this.#say(attributes);
  }

  addEvent(name: string, attributes?: Attributes): void {
    if (this.#endedAfter !== null) return;
    const event = { name, time: this.#surroundings.now(), ...(attributes && { attributes }) };
    this.events = [...this.events, event];
  }

  end({ attributes, endTime, error }: SpanEnd = nothing): void {
    if (this.#endedAfter !== null) return;
    if (attributes !== undefined) this.#say(attributes);
    if (error !== undefined) {
      const { message, type } = spanFailure(error);
      this.#say({ 'error.type': type });
      this.status = { code: spanStatusCodes.error, message };
    }
    this.#endedAfter = (endTime ?? this.#surroundings.now()) - this.#surroundings.began;
    if (this.#details !== undefined) {
      const bytes = this.#details.contentBytes;
      this.heldBytes = bytes;
      if (bytes > greatestHeld) void this.attributes;
    }
    if (this.#frame?.active === this && this.#parent !== undefined) this.#frame.active = this.#parent;
    this.#frame = undefined;
    this.#surroundings.ended(this);
  }

  run<Result>(work: () => Result): Result {
    return this.#surroundings.frames.run(new Frame(this), work);
  }

  /** @see runNext */
  runNext<Result>(work: () => Result): Result {
    const frame = this.#surroundings.frames.getStore();
    if (frame === undefined || (frame.active !== this.#parent && frame.active !== this)) return this.run(work);
    frame.active = this;
    this.#frame = frame;
    return work();
  }

  #sayAll(attributes: Attributes): void {
    this.#said = attributes;
    this.#details = undefined;
    this.heldBytes = undefined;
  }

  #say(attributes: Attributes): void {
    if (this.#ownsSaid) Object.assign(this.#said, attributes);
    else this.#said = new OwnAttributes(this.#said, attributes);
    this.#ownsSaid = true;
  }
}

/** Of a trace whose caller decided that it is not recorded: only its ids go on. */
export class UnsampledSpan implements Span {
  readonly context: SpanContext;
  readonly isRecording = false;
  readonly #frames: AsyncLocalStorage<Frame>;

  constructor(frames: AsyncLocalStorage<Frame>, { traceId }: SpanContext) {
    this.context = { traceId, spanId: newSpanId(), isSampled: false };
    this.#frames = frames;
  }

  setAttributes(): void {}
  addEvent(): void {}
  end(): void {}

  run<Result>(work: () => Result): Result {
    return this.#frames.run(new Frame(this.context), work);
  }
}

const noAttributes: Attributes = {};
const nothing: SpanEnd = {};

/** Reading a record never throws. */
function contentOf(details: SpanDetails): Attributes | undefined {
  try {
    return details.toContent();
  } catch (error) {
    return { 'halyard.unreadable': spanFailure(error).message };
  }
}

// A class, as V8 takes literals that live long for ones that live for ever.
class OwnAttributes implements Attributes {
  readonly [name: string]: AttributeValue | undefined;

  constructor(...sources: readonly (Attributes | undefined)[]) {
    Object.assign(this, ...sources);
  }
}

function toLink({ spanId, traceId }: SpanContext): SpanLink {
  return { traceId, spanId };
}
