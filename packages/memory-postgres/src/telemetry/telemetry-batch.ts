import { describedSpan, type LogRecord, type SpanRecord, spanStatusCodes, type TraceStatus } from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';
import { telemetryKey, telemetryKeyOf } from './telemetry-key.ts';

/** The last time of a JavaScript date, in milliseconds. */
const maxTime = 8.64e15;

/** The rows of spans as JSON, for `write_telemetry`. Of several records of a span, the last one that has ended is used, otherwise the last. */
export function spanRows(spans: readonly SpanRecord[]): string {
  const latest = new Map<string, SpanRecord>();
  for (const span of spans) {
    const key = `${span.traceId} ${span.spanId}`;
    const before = latest.get(key);
    if (span.endTime === null && before !== undefined && before.endTime !== null) continue;
    latest.set(key, span);
  }
  return JSON.stringify(
    Array.from(latest.values(), (span, index) => ({
      trace_id: telemetryKey(span.traceId),
      span_id: telemetryKey(span.spanId),
      time: toTime(span.startTime),
      position: index + 1,
      end_time: span.endTime === null ? null : toTime(span.endTime),
      is_entry: span.isEntry,
      status: statusOf(span),
      entity_type: telemetryKeyOf(span.attributes['entity.type']),
      entity_id: telemetryKeyOf(span.attributes['entity.id']),
      user_id: telemetryKeyOf(span.attributes['user.id']),
      record: JSON.stringify(describedSpan(span)),
    })),
  );
}

/** The rows of logs as JSON, for `write_telemetry`. */
export function logRows(logs: readonly LogRecord[]): string {
  return JSON.stringify(
    logs.map((log, index) => ({
      time: toTime(log.timestamp),
      position: index + 1,
      trace_id: telemetryKeyOf(log.traceId),
      span_id: telemetryKeyOf(log.spanId),
      severity_number: log.severityNumber,
      severity_text: toText(log.severityText.toUpperCase()),
      agent_id: telemetryKeyOf(log.attributes['agentId']),
      workflow_id: telemetryKeyOf(log.attributes['workflowId']),
      execution_id: telemetryKeyOf(log.attributes['executionId']),
      conversation_id: telemetryKeyOf(log.attributes['conversationId']),
      user_id: telemetryKeyOf(log.attributes['userId']),
      record: JSON.stringify(log),
    })),
  );
}

function statusOf({ endTime, status }: SpanRecord): TraceStatus {
  if (endTime === null) return 'running';
  return status.code === spanStatusCodes.error ? 'error' : 'ok';
}

/** Every time is accepted: one beyond the calendar becomes its first or last time. */
function toTime(time: number): number {
  if (Number.isNaN(time)) return 0;
  return Math.min(Math.max(time, -maxTime), maxTime);
}
