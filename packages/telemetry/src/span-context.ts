import type { SpanContext } from '@halyard/contracts';
import { type SpanContext as OpenTelemetryContext, TraceFlags } from '@opentelemetry/api';

export function toSpanContext({ spanId, traceFlags, traceId }: OpenTelemetryContext): SpanContext {
  return { traceId, spanId, isSampled: isSampled(traceFlags) };
}

/**
 * @param isRemote whether the span is in another process or in the past: samplers may treat it
 * differently.
 */
export function fromSpanContext(span: SpanContext, isRemote: boolean): OpenTelemetryContext {
  const traceFlags = span.isSampled === false ? TraceFlags.NONE : TraceFlags.SAMPLED;
  return { traceId: span.traceId, spanId: span.spanId, traceFlags, isRemote };
}

export function isSampled(traceFlags: number): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}
