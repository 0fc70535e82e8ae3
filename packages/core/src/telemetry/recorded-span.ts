import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type AttributeValue,
  type NewSpan,
  type PackReader,
  type PackWriter,
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
import { hexOf, newSpanId, randomInt32 } from '../services/random-ids.ts';
import { packDetails, unpackDetails } from './packed-details.ts';
import { TraceId } from './trace-id.ts';

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
/** How a span is packed: bits of one number, the lowest of which are its kind. */
const flags = { isEntry: 8, hasTies: 16, hasSaid: 32, hasNearParent: 64, hasFarParent: 128, isFarTrace: 256 };
const kindBits = 7;
type Ties = [Status, readonly SpanEvent[], readonly SpanLink[]];
const unset: Status = { code: spanStatusCodes.unset };
const none: readonly never[] = [];

/** A span as it runs, and the record of it once it has ended: one object for both, as there are many. */
export class RecordedSpan implements Span, SpanRecord {
  readonly isEntry: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  status: Status = unset;
  events: readonly SpanEvent[] = none;
  links: readonly SpanLink[];
  readonly #trace: TraceId;
  readonly #surroundings: SpanSurroundings;
  readonly #parent: SpanContext | undefined;
  // Small integers need no memory of their own, as ids and times do. Ids are put together when they are asked for, times are milliseconds after the recorder began.
  #idHigh = randomInt32();
  #idLow = randomInt32();
  readonly #beganAfter: number;
  #endedAfter: number | null = null;
  #said: Attributes;
  #ownsSaid = false;
  #frame: Frame | undefined = undefined;
  #details: SpanDetails | undefined;

  constructor(
    surroundings: SpanSurroundings,
    span: NewSpan,
    parent: SpanContext | undefined,
    trace: TraceId = RecordedSpan.#traceBelow(parent),
  ) {
    this.#trace = trace;
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

  static #traceBelow(parent: SpanContext | undefined): TraceId {
    return parent instanceof RecordedSpan ? parent.#trace : new TraceId(parent?.traceId);
  }

  get context(): SpanContext {
    return this;
  }

  get traceId(): string {
    return this.#trace.toString();
  }

  get spanId(): string {
    return hexOf(this.#idHigh, this.#idLow);
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

  /** For who keeps it once it has ended: it is not asked before. */
  pack(to: PackWriter): void {
    // Who cannot say it shorter says it now.
    if (this.#details !== undefined && this.#details.pack === undefined) void this.attributes;
    const parent = this.#parent;
    const hasTies = this.status !== unset || this.events !== none || this.links !== none;
    const hasSaid = this.#said !== noAttributes;
    to.shared(this.#surroundings);
    to.shared(this.name);
    to.integer(
      this.kind |
        (this.isEntry ? flags.isEntry : 0) |
        (hasTies ? flags.hasTies : 0) |
        (hasSaid ? flags.hasSaid : 0) |
        (parent instanceof RecordedSpan ? flags.hasNearParent : parent === undefined ? 0 : flags.hasFarParent) |
        (this.#trace.isOurs ? 0 : flags.isFarTrace),
    );
    this.#trace.pack(to);
    to.integer(this.#idHigh);
    to.integer(this.#idLow);
    if (parent instanceof RecordedSpan) {
      to.integer(parent.#idHigh);
      to.integer(parent.#idLow);
    } else if (parent !== undefined) to.text(parent.spanId);
    to.number(this.#beganAfter);
    to.number(this.#endedAfter ?? this.#beganAfter);
    if (hasTies) to.value([this.status, this.events, this.links]);
    if (hasSaid) to.value(this.#said);
    packDetails(this.#details, to);
  }

  get unpack(): typeof RecordedSpan.unpack {
    return RecordedSpan.unpack;
  }

  static readonly unpack = (from: PackReader): RecordedSpan => {
    const surroundings = from.shared<SpanSurroundings>();
    const name = from.shared<string>();
    const flagged = from.integer();
    const kind = (flagged & kindBits) as SpanKind;
    const trace = TraceId.unpack((flagged & flags.isFarTrace) === 0, from);
    const [idHigh, idLow] = [from.integer(), from.integer()];
    const parent = unpackParent(trace, flagged, from);
    const startTime = surroundings.began + from.number();
    const span = new RecordedSpan(
      surroundings,
      { name, kind, startTime, isEntry: (flagged & flags.isEntry) !== 0 },
      parent,
      trace,
    );
    span.#idHigh = idHigh;
    span.#idLow = idLow;
    span.#endedAfter = from.number();
    if ((flagged & flags.hasTies) !== 0) [span.status, span.events, span.links] = from.value<Ties>();
    if ((flagged & flags.hasSaid) !== 0) span.#said = from.value();
    span.#details = unpackDetails(from);
    return span;
  };

  #sayAll(attributes: Attributes): void {
    this.#said = attributes;
    this.#details = undefined;
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

function unpackParent(trace: TraceId, flagged: number, from: PackReader): SpanContext | undefined {
  if ((flagged & (flags.hasNearParent | flags.hasFarParent)) === 0) return undefined;
  const isNear = (flagged & flags.hasNearParent) !== 0;
  const spanId = isNear ? hexOf(from.integer(), from.integer()) : (from.text() ?? '');
  return { traceId: trace.toString(), spanId };
}

function toLink({ spanId, traceId }: SpanContext): SpanLink {
  return { traceId, spanId };
}
