import type { Attributes, LogRecord, Owner, SpanRecord, TelemetryStore, TraceFilter } from '@halyard/contracts';

/**
 * The earliest time of most samples, in milliseconds since the epoch. A few cases use times some
 * weeks earlier.
 */
export const sampleTime = 1_750_000_000_000;

/** 32 digits that end in this number. */
export function traceId(number: number): string {
  return `a${number.toString(16).padStart(31, '0')}`;
}

/** 16 digits that end in this number. */
export function spanId(number: number): string {
  return `b${number.toString(16).padStart(15, '0')}`;
}

/**
 * A child in a trace that took a millisecond. @param trace number of its trace. @param span number
 * of the span. @param at milliseconds after {@link sampleTime}.
 */
export function sampleSpan(trace: number, span: number, at: number, values: Partial<SpanRecord> = {}): SpanRecord {
  const startTime = sampleTime + at;
  return {
    traceId: traceId(trace),
    spanId: spanId(span),
    parentSpanId: spanId(1),
    isEntry: false,
    name: `span ${span}`,
    kind: 0,
    startTime,
    endTime: startTime + 1,
    attributes: {},
    status: { code: 1 },
    events: [],
    links: [],
    resource: { 'service.name': 'sample' },
    instrumentationScope: { name: 'halyard', version: '1.0.0' },
    ...values,
  };
}

/** An entry without a parent. Default attributes: an agent and the user Ada. */
export function sampleEntry(trace: number, span: number, at: number, values: Partial<SpanRecord> = {}): SpanRecord {
  return sampleSpan(trace, span, at, {
    parentSpanId: null,
    isEntry: true,
    attributes: ofEntity('agent', 'helper', 'ada'),
    ...values,
  });
}

export function ofEntity(type: string, id: string, user?: string): Attributes {
  return { 'entity.type': type, 'entity.id': id, ...(user !== undefined && { 'user.id': user }) };
}

/** The fields of a running span. */
export const running = { endTime: null, status: { code: 0 } } as const;
export const failed = { status: { code: 2, message: 'It broke' } } as const;
export const aborted = { status: { code: 0 }, attributes: { 'halyard.outcome': 'aborted' } } as const;
export const refused = { status: { code: 0 }, attributes: { 'halyard.outcome': 'refused' } } as const;

/** @param at milliseconds after {@link sampleTime}. */
export function sampleLog(body: string, at: number, values: Partial<LogRecord> = {}): LogRecord {
  return {
    timestamp: sampleTime + at,
    traceId: null,
    spanId: null,
    severityNumber: 9,
    severityText: 'INFO',
    body,
    attributes: {},
    ...values,
  };
}

export async function writeSpans(store: TelemetryStore, ...spans: readonly SpanRecord[]): Promise<void> {
  await store.write({ spans, logs: [] });
}

export async function writeLogs(store: TelemetryStore, ...logs: readonly LogRecord[]): Promise<void> {
  await store.write({ spans: [], logs });
}

export const page = { limit: 100, offset: 0 } as const;

/** The ids and the total of the traces. */
export async function listedTraces(
  store: TelemetryStore,
  owner: Owner = 'anyone',
  filter: Partial<TraceFilter> = {},
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const { traces, total } = await store.listTraces(owner, { ...page, ...filter });
  return { ids: traces.map((trace) => trace.traceId), total };
}

/** The result of {@link listedTraces} when all traces are on one page. */
export function allOf(...traces: readonly number[]): { readonly ids: readonly string[]; readonly total: number } {
  return { ids: traces.map(traceId), total: traces.length };
}

export async function namesInTrace(store: TelemetryStore, trace: number): Promise<readonly string[]> {
  return (await store.findTrace('anyone', traceId(trace))).map(({ name }) => name);
}
