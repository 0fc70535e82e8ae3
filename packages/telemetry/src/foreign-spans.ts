import { type SpanRecord, spanStatusCodes, type TelemetrySink } from '@halyard/contracts';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace';
import { fromHrTime } from './hr-time.ts';
import { readAttributes } from './read-attributes.ts';
import { scopeName } from './scope.ts';
import { serviceResource } from './service-resource.ts';
import { isSampled } from './span-context.ts';

/**
 * Passes the spans of the app and its libraries to the sink. Those of Halyard come from the
 * recorder.
 */
export class ForeignSpans implements SpanProcessor {
  readonly #sink: TelemetrySink;

  constructor(sink: TelemetrySink) {
    this.#sink = sink;
  }

  onStart(span: Span): void {
    if (isForeign(span)) this.#sink.spanStarted(toRecord(span, null));
  }

  onEnd(span: ReadableSpan): void {
    if (isForeign(span)) this.#sink.spanEnded(toRecord(span, fromHrTime(span.endTime)));
  }

  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

function isForeign(span: ReadableSpan): boolean {
  return span.instrumentationScope.name !== scopeName && isSampled(span.spanContext().traceFlags);
}

function toRecord(span: ReadableSpan, endTime: number | null): SpanRecord {
  const { spanId, traceId } = span.spanContext();
  const { message } = span.status;
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    isEntry: span.parentSpanContext === undefined || span.parentSpanContext.isRemote === true,
    name: span.name,
    kind: span.kind,
    startTime: fromHrTime(span.startTime),
    endTime,
    attributes: readAttributes(span.attributes),
    status: { code: span.status.code ?? spanStatusCodes.unset, ...(message !== undefined && { message }) },
    events: span.events.map(({ attributes, name, time }) => ({
      name,
      time: fromHrTime(time),
      ...(attributes && { attributes: readAttributes(attributes) }),
    })),
    links: span.links.map(({ attributes, context }) => ({
      traceId: context.traceId,
      spanId: context.spanId,
      ...(attributes && { attributes: readAttributes(attributes) }),
    })),
    resource: serviceResource(span, {}),
    instrumentationScope: toScope(span.instrumentationScope),
  };
}

function toScope({ name, version }: ReadableSpan['instrumentationScope']): SpanRecord['instrumentationScope'] {
  return { name, ...(version !== undefined && { version }) };
}
