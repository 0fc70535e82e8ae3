import type { TraceStatus } from './telemetry-store.ts';
import { type SpanRecord, spanStatusCodes } from './telemetry.ts';

/** The status of a span, which is that of its trace if it is the latest entry. */
export function toTraceStatus({ attributes, endTime, status }: SpanRecord): TraceStatus {
  if (endTime === null) return 'running';
  if (status.code === spanStatusCodes.error) return 'error';
  const outcome = attributes['halyard.outcome'];
  return outcome === 'aborted' || outcome === 'refused' ? outcome : 'ok';
}
