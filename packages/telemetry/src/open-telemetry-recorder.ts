import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type NewSpan,
  type Recorder,
  type RecorderOptions,
  type Span,
  type SpanContext,
  type SpanDetails,
  spanKinds,
  type SpanKind,
} from '@halyard/contracts';
import {
  type Context,
  context,
  isSpanContextValid,
  type Span as ApiSpan,
  SpanKind as ApiSpanKind,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { toHrTime } from './hr-time.ts';
import { OpenTelemetrySpan, runsOurs } from './open-telemetry-span.ts';
import { serviceResource } from './service-resource.ts';
import { SilentSpan } from './silent-span.ts';
import { fromSpanContext, toSpanContext } from './span-context.ts';

const apiKinds: Readonly<Record<SpanKind, ApiSpanKind>> = {
  [spanKinds.internal]: ApiSpanKind.INTERNAL,
  [spanKinds.server]: ApiSpanKind.SERVER,
  [spanKinds.client]: ApiSpanKind.CLIENT,
  [spanKinds.producer]: ApiSpanKind.PRODUCER,
  [spanKinds.consumer]: ApiSpanKind.CONSUMER,
};

export interface OpenTelemetryRecorderOptions extends RecorderOptions {
  /** Whether the sink is also told of spans that are not ours. */
  readonly seesForeignSpans: boolean;
}

/** Makes spans of OpenTelemetry, and tells the sink of those that are sampled. */
export class OpenTelemetryRecorder implements Recorder {
  readonly recordsContent: boolean;
  readonly #tracer: Tracer;
  readonly #options: OpenTelemetryRecorderOptions;
  #isClosed = false;

  constructor(tracer: Tracer, options: OpenTelemetryRecorderOptions) {
    this.recordsContent = options.recordsContent;
    this.#tracer = tracer;
    this.#options = options;
  }

  start(span: NewSpan): Span {
    const { clock, resource, sink } = this.#options;
    const surroundings = parentContext(span);
    const parent = validSpan(surroundings);
    if (this.#isClosed) return new SilentSpan(trace.wrapSpanContext(unsampled(parent)));

    const kind = span.kind ?? spanKinds.internal;
    const startTime = span.startTime ?? clock.now();
    const links = (span.links ?? []).map((link) => ({ context: fromSpanContext(link, true) }));
    const attributes = { ...this.#saidBy(span.details), ...span.attributes };
    const started = this.#tracer.startSpan(
      span.name,
      { kind: apiKinds[kind], startTime: toHrTime(startTime), attributes, links },
      surroundings,
    );
    if (!isTold(started)) return new SilentSpan(withIds(started, parent));

    const isEntry = span.isEntry === true || parent === undefined || this.#entersHere(span, surroundings);
    const told = new OpenTelemetrySpan(started, {
      clock,
      isOpen: () => !this.#isClosed,
      sink,
      own: span.attributes ?? {},
      saysAtEnd: () => this.#saidBy(span.details),
      begun: {
        traceId: started.spanContext().traceId,
        spanId: started.spanContext().spanId,
        parentSpanId: parent?.spanId ?? null,
        isEntry,
        name: span.name,
        kind,
        startTime,
        attributes,
        links: span.links?.map(({ spanId, traceId }) => ({ traceId, spanId })) ?? [],
        resource: serviceResource(started, resource),
      },
    });
    told.tellStarted();
    return told;
  }

  active(): SpanContext | undefined {
    return validSpan(context.active());
  }

  /** From now on nothing is recorded: not what is begun, nor what goes on. */
  close(): void {
    this.#isClosed = true;
  }

  #saidBy(details: SpanDetails | undefined): Attributes {
    if (details === undefined) return {};
    return { ...details.toAttributes(), ...(this.recordsContent && details.toContent()) };
  }

  /** The active span is one that the sink has not heard of: of another process, or of the app where its spans are not told. */
  #entersHere({ parent }: NewSpan, surroundings: Context): boolean {
    if (parent !== undefined) return false;
    if (trace.getSpanContext(surroundings)?.isRemote === true) return true;
    return !this.#options.seesForeignSpans && !runsOurs(surroundings);
  }
}

function parentContext({ isEntry = false, parent }: NewSpan): Context {
  const surroundings = context.active();
  if (parent === undefined) return surroundings;
  if (parent === null) return trace.deleteSpan(surroundings);
  if (isEntry && servesRequestOf(parent, trace.getSpan(surroundings))) return surroundings;
  return trace.setSpanContext(surroundings, fromSpanContext(parent, isEntry));
}

/** The app's own instrumentation has taken the caller's trace over already: what it made of the request comes between. */
function servesRequestOf({ spanId }: SpanContext, active: ApiSpan | undefined): boolean {
  if (active === undefined || !('kind' in active) || active.kind !== ApiSpanKind.SERVER) return false;
  if (!('parentSpanContext' in active)) return false;
  const parent = active.parentSpanContext;
  return typeof parent === 'object' && parent !== null && 'spanId' in parent && parent.spanId === spanId;
}

function validSpan(surroundings: Context): SpanContext | undefined {
  const span = trace.getSpanContext(surroundings);
  return span === undefined || !isSpanContextValid(span) ? undefined : toSpanContext(span);
}

function isTold(span: ApiSpan): boolean {
  return span.isRecording() && toSpanContext(span.spanContext()).isSampled === true;
}

/** An SDK that is off gives spans without ids: they get ones, as ids are handed on, and are none of any trace that is kept. */
function withIds(span: ApiSpan, parent: SpanContext | undefined): ApiSpan {
  return isSpanContextValid(span.spanContext()) ? span : trace.wrapSpanContext(unsampled(parent));
}

function unsampled(parent: SpanContext | undefined): ReturnType<typeof fromSpanContext> {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  return fromSpanContext({ traceId, spanId: randomBytes(8).toString('hex'), isSampled: false }, false);
}
