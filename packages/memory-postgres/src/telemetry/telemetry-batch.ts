import {
  describedSpan,
  type LogRecord,
  type SpanRecord,
  spanStatusCodes,
  type TelemetryBatch,
} from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';
import { telemetryKey, telemetryKeyOf } from './telemetry-key.ts';

/** The farthest time that a calendar has, in both directions. */
const farthest = 8.64e15;

/** What `write_telemetry` takes: a column after the other, of spans and of logs. */
export function sentBatch({ logs, spans }: TelemetryBatch): readonly unknown[] {
  const kept = keptSpans(spans);
  return [
    kept.map(({ traceId }) => telemetryKey(traceId)),
    kept.map(({ spanId }) => telemetryKey(spanId)),
    kept.map(({ startTime }) => toTime(startTime)),
    kept.map(({ endTime }) => (endTime === null ? null : toTime(endTime))),
    kept.map(({ isEntry }) => isEntry),
    kept.map(statusOf),
    kept.map(({ attributes }) => telemetryKeyOf(attributes['entity.type'])),
    kept.map(({ attributes }) => telemetryKeyOf(attributes['entity.id'])),
    kept.map(({ attributes }) => telemetryKeyOf(attributes['user.id'])),
    kept.map((span) => JSON.stringify(describedSpan(span))),
    ...sentLogs(logs),
  ];
}

function sentLogs(logs: readonly LogRecord[]): readonly unknown[] {
  return [
    logs.map(({ timestamp }) => toTime(timestamp)),
    logs.map(({ traceId }) => telemetryKeyOf(traceId)),
    logs.map(({ spanId }) => telemetryKeyOf(spanId)),
    logs.map(({ severityNumber }) => severityNumber),
    logs.map(({ severityText }) => toText(severityText.toUpperCase())),
    ...(['agentId', 'workflowId', 'executionId', 'conversationId', 'userId'] as const).map((name) =>
      logs.map(({ attributes }) => telemetryKeyOf(attributes[name])),
    ),
    logs.map((log) => JSON.stringify(log)),
  ];
}

/** Each span once: the last one that came, and where one has ended, the last that has. */
function keptSpans(spans: readonly SpanRecord[]): readonly SpanRecord[] {
  const kept = new Map<string, SpanRecord>();
  for (const span of spans) {
    const key = `${span.traceId} ${span.spanId}`;
    if (span.endTime === null && (kept.get(key)?.endTime ?? null) !== null) continue;
    kept.set(key, span);
  }
  return [...kept.values()];
}

function statusOf({ endTime, status }: SpanRecord): string {
  if (endTime === null) return 'running';
  return status.code === spanStatusCodes.error ? 'error' : 'ok';
}

/** No time is refused: what no clock shows is kept as the nearest that one does. */
function toTime(time: number): number {
  if (Number.isNaN(time)) return 0;
  return Math.min(Math.max(time, -farthest), farthest);
}
