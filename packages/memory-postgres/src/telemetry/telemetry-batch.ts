import { describedSpan, type LogRecord, toMeasurement, type SpanRecord, toTraceStatus } from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';
import { telemetryKey, toTelemetryKey } from './telemetry-key.ts';

/** The last time of a JavaScript date, in milliseconds. */
const maxTime = 8.64e15;

/**
 * The rows of spans as JSON, for `write_telemetry`. Of several records of a span, the last ended
 * one is used, otherwise the last.
 */
export function spanRows(spans: readonly SpanRecord[]): string {
  const latest = new Map<string, SpanRecord>();
  for (const span of spans) {
    const key = `${span.traceId} ${span.spanId}`;
    const before = latest.get(key);
    if (span.endTime === null && before !== undefined && before.endTime !== null) continue;
    latest.set(key, span);
  }
  const owners = listOwners(spans);
  return JSON.stringify(
    Array.from(latest.values(), (span, index) => ({
      trace_id: telemetryKey(span.traceId),
      span_id: telemetryKey(span.spanId),
      time: toTime(span.startTime),
      position: index + 1,
      end_time: span.endTime === null ? null : toTime(span.endTime),
      is_entry: span.isEntry,
      status: toTraceStatus(span),
      entity_type: toTelemetryKey(span.attributes['entity.type']),
      entity_id: toTelemetryKey(span.attributes['entity.id']),
      user_id: toTelemetryKey(span.attributes['user.id']),
      record: JSON.stringify(describedSpan(span)),
      ...measuredColumns(span, owners.get(span.traceId)),
    })),
  );
}

/** The users of the entries of a batch, by trace. Of other traces, the database knows them. */
function listOwners(spans: readonly SpanRecord[]): ReadonlyMap<string, string | null> {
  const owners = new Map<string, string | null>();
  for (const { attributes, isEntry, traceId } of spans)
    if (isEntry) owners.set(traceId, owners.get(traceId) ?? toTelemetryKey(attributes['user.id']));
  return owners;
}

/** The columns that metrics are computed from; none for a span that is not counted. */
function measuredColumns(span: SpanRecord, ownerOfTrace: string | null | undefined): object | undefined {
  const measured = toMeasurement(span);
  if (measured === undefined) return undefined;
  const { agentId, cachedInputTokens, cost, inputTokens, latencyBucket, model, outputTokens, workflowId } = measured;
  return {
    latency_bucket: latencyBucket,
    owner_id: toTelemetryKey(span.attributes['user.id']) ?? ownerOfTrace,
    ...(model !== null && {
      workflow_id: toTelemetryKey(workflowId),
      agent_id: toTelemetryKey(agentId),
      model: telemetryKey(model),
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cached_tokens: cachedInputTokens,
      ...(cost !== null && { cost }),
    }),
  };
}

/** The rows of logs as JSON, for `write_telemetry`. */
export function logRows(logs: readonly LogRecord[]): string {
  return JSON.stringify(
    logs.map((log, index) => ({
      time: toTime(log.timestamp),
      position: index + 1,
      trace_id: toTelemetryKey(log.traceId),
      span_id: toTelemetryKey(log.spanId),
      severity_number: log.severityNumber,
      severity_text: toText(log.severityText.toUpperCase()),
      agent_id: toTelemetryKey(log.attributes['agentId']),
      workflow_id: toTelemetryKey(log.attributes['workflowId']),
      execution_id: toTelemetryKey(log.attributes['executionId']),
      conversation_id: toTelemetryKey(log.attributes['conversationId']),
      user_id: toTelemetryKey(log.attributes['userId']),
      record: logRecord(log),
    })),
  );
}

/** The JSON of a log. That of a client begins with {@link startOfClient}. */
function logRecord(log: LogRecord): string {
  if (log.attributes['client'] === undefined) return JSON.stringify(log);
  const { attributes, ...fields } = log;
  const { client, ...others } = attributes;
  return JSON.stringify({ attributes: { client, ...others }, ...fields });
}

/**
 * How the JSON of the logs of a client begins, and no other: elsewhere, a field of this name may be
 * anybody's.
 */
export function startOfClient(client: string): string {
  return `{"attributes":{"client":${JSON.stringify(client)}`;
}

/** Every time is accepted: one beyond the calendar becomes its first or last time. */
function toTime(time: number): number {
  if (Number.isNaN(time)) return 0;
  return Math.min(Math.max(time, -maxTime), maxTime);
}
