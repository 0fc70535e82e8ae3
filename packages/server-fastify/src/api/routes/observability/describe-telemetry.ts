import type { LogRecord, SpanRecord, TraceSummary } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import type { LogRecord as LogLine, Span, TraceSummary as ListedTrace } from './schemas.ts';

/** A span of the HTTP API: times are ISO 8601. */
export function describeSpan(span: SpanRecord): Span {
  const { attributes, endTime, instrumentationScope, links, startTime, status } = span;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    startTime: isoTime(startTime),
    endTime: endTime === null ? null : isoTime(endTime),
    durationMs: toDuration(startTime, endTime),
    attributes: { ...attributes },
    status: { ...status },
    events: span.events.map(({ attributes: own, name, time }) => ({
      name,
      time: isoTime(time),
      ...(own && { attributes: { ...own } }),
    })),
    links: links.map(({ attributes: own, spanId, traceId }) => ({
      traceId,
      spanId,
      ...(own && { attributes: { ...own } }),
    })),
    resource: { ...span.resource },
    instrumentationScope: { ...instrumentationScope },
  };
}

/** The attributes whose values can be long. */
const contentAttributes: ReadonlySet<string> = new Set([
  'gen_ai.system_instructions',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.definitions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'halyard.input',
  'halyard.output',
]);

/** A span without prompts, replies, arguments and results. */
export function toOutline(span: Span): Span {
  const attributes = Object.entries(span.attributes).filter(([name]) => !contentAttributes.has(name));
  return { ...span, attributes: Object.fromEntries(attributes) };
}

/** A span without what each model call of a run repeats: its instructions, messages and tools. */
export function toStep(span: Span): Span {
  const { attributes } = span;
  const {
    'gen_ai.system_instructions': _instructions,
    'gen_ai.input.messages': messages,
    'gen_ai.tool.definitions': _tools,
    ...own
  } = attributes;
  // Those of an agent's span are the beginning of its run.
  const isAgent = attributes['gen_ai.operation.name'] === 'invoke_agent' && messages !== undefined;
  return { ...span, attributes: { ...own, ...(isAgent && { 'gen_ai.input.messages': messages }) } };
}

export function describeTrace(
  { rootSpan, ...trace }: TraceSummary,
  { failure, feedback }: { readonly failure: ListedTrace['failure']; readonly feedback: ListedTrace['feedback'] },
): ListedTrace {
  const {
    cost,
    endTime,
    entityId,
    entityType,
    inputTokens,
    models,
    outputTokens,
    spanCount,
    startTime,
    status,
    traceId,
  } = trace;
  return {
    traceId,
    rootSpan: describeSpan(rootSpan),
    spanCount,
    startTime: isoTime(startTime),
    endTime: endTime === null ? null : isoTime(endTime),
    durationMs: toDuration(startTime, endTime),
    status,
    entityId,
    entityType,
    models: [...models],
    inputTokens,
    outputTokens,
    cost,
    ...(failure !== undefined && { failure }),
    ...(feedback !== undefined && { feedback }),
  };
}

export function describeLog({ timestamp, ...log }: LogRecord): LogLine {
  return { timestamp: isoTime(timestamp), ...log, attributes: { ...log.attributes } };
}

function toDuration(startTime: number, endTime: number | null): number | null {
  return endTime === null ? null : endTime - startTime;
}
