import { randomBytes } from 'node:crypto';
import {
  describedBy,
  type NewSpan,
  type Recorder,
  type RecorderOptions,
  type Span,
  type SpanContext,
  spanKinds,
  type SpanKind,
  type SpanRecord,
  spanStatusCodes,
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
import { isInHalyardSpan, OpenTelemetrySpan } from './open-telemetry-span.ts';
import { scopeName } from './scope.ts';
import { serviceResource } from './service-resource.ts';
import { fromSpanContext, toSpanContext } from './span-context.ts';
import { UnrecordedSpan } from './unrecorded-span.ts';
import { version } from './version.ts';

const apiKinds: Readonly<Record<SpanKind, ApiSpanKind>> = {
  [spanKinds.internal]: ApiSpanKind.INTERNAL,
  [spanKinds.server]: ApiSpanKind.SERVER,
  [spanKinds.client]: ApiSpanKind.CLIENT,
  [spanKinds.producer]: ApiSpanKind.PRODUCER,
  [spanKinds.consumer]: ApiSpanKind.CONSUMER,
};
const instrumentationScope: SpanRecord['instrumentationScope'] = { name: scopeName, version };

export interface OpenTelemetryRecorderOptions extends RecorderOptions {
  /** Whether the sink also receives spans of the app and its libraries. */
  readonly recordsForeignSpans: boolean;
}

/** Creates spans of OpenTelemetry, and passes the records of those that are sampled to the sink. */
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
    const { clock, recordsContent, resource, sink } = this.#options;
    const parentContext = toParentContext(span);
    const parent = validSpan(parentContext);
    if (this.#isClosed) return new UnrecordedSpan(trace.wrapSpanContext(unsampled(parent)));

    const { attributes: given = {}, describe } = span;
    const kind = span.kind ?? spanKinds.internal;
    const startTime = span.startTime ?? clock.now();
    const attributes = { ...(describe && describedBy(describe)), ...given };
    const links = (span.links ?? []).map((link) => ({ context: fromSpanContext(link, true) }));
    const apiSpan = this.#tracer.startSpan(
      span.name,
      { kind: apiKinds[kind], startTime: toHrTime(startTime), attributes, links },
      parentContext,
    );
    if (!isRecorded(apiSpan)) return new UnrecordedSpan(withIds(apiSpan, parent));

    const { spanId, traceId } = apiSpan.spanContext();
    const started: SpanRecord = {
      traceId,
      spanId,
      parentSpanId: parent?.spanId ?? null,
      isEntry: span.isEntry ?? (parent === undefined || this.#entersService(span, parentContext)),
      name: span.name,
      kind,
      startTime,
      endTime: null,
      attributes,
      status: { code: spanStatusCodes.unset },
      events: [],
      links: span.links?.map((link) => ({ traceId: link.traceId, spanId: link.spanId })) ?? [],
      resource: serviceResource(apiSpan, resource),
      instrumentationScope,
    };
    sink.spanStarted(started);
    const isOpen = (): boolean => !this.#isClosed;
    return new OpenTelemetrySpan(apiSpan, {
      started,
      attributes: given,
      describe,
      clock,
      sink,
      recordsContent,
      isOpen,
    });
  }

  active(): SpanContext | undefined {
    return validSpan(context.active());
  }

  /** Spans that are started or ended later are not recorded. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Whether the sink does not receive the active span: it is in another process, or a span of the
   * app that is not recorded.
   */
  #entersService({ parent }: NewSpan, parentContext: Context): boolean {
    if (parent !== undefined) return false;
    if (trace.getSpanContext(parentContext)?.isRemote === true) return true;
    return !this.#options.recordsForeignSpans && !isInHalyardSpan(parentContext);
  }
}

function toParentContext({ isEntry = false, parent }: NewSpan): Context {
  const active = context.active();
  if (parent === undefined) return active;
  if (parent === null) return trace.deleteSpan(active);
  if (isEntry && servesRequest(parent, trace.getSpan(active))) return active;
  return trace.setSpanContext(active, fromSpanContext(parent, isEntry));
}

/**
 * Whether the app's own instrumentation has already created a span for the caller's request: it
 * becomes the parent.
 */
function servesRequest({ spanId }: SpanContext, active: ApiSpan | undefined): boolean {
  if (active === undefined || !('kind' in active) || active.kind !== ApiSpanKind.SERVER) return false;
  if (!('parentSpanContext' in active)) return false;
  const parent = active.parentSpanContext;
  return typeof parent === 'object' && parent !== null && 'spanId' in parent && parent.spanId === spanId;
}

function validSpan(parentContext: Context): SpanContext | undefined {
  const span = trace.getSpanContext(parentContext);
  return span === undefined || !isSpanContextValid(span) ? undefined : toSpanContext(span);
}

function isRecorded(span: ApiSpan): boolean {
  return span.isRecording() && toSpanContext(span.spanContext()).isSampled === true;
}

/**
 * A disabled SDK creates spans without ids. Logs and callers need ids, so such a span gets those of
 * an unsampled trace.
 */
function withIds(span: ApiSpan, parent: SpanContext | undefined): ApiSpan {
  return isSpanContextValid(span.spanContext()) ? span : trace.wrapSpanContext(unsampled(parent));
}

function unsampled(parent: SpanContext | undefined): ReturnType<typeof fromSpanContext> {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  return fromSpanContext({ traceId, spanId: randomBytes(8).toString('hex'), isSampled: false }, false);
}
