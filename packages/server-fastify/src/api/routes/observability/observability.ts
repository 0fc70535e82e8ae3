import { type LogFilter, NotFoundError, type Owner, type TelemetryStore } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { ownerForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { Id, toTime } from '../common-schemas.ts';
import { countFeedback } from './count-feedback.ts';
import { describeLog, describeSpan, describeTrace, toOutline, toStep } from './describe-telemetry.ts';
import { findFirstFailures } from './first-failures.ts';
import {
  LogPage,
  LogPageQuery,
  LogQuery,
  ObservabilityStatus,
  Span,
  SpanPage,
  SpanPageQuery,
  SpanQuery,
  Trace,
  TracePage,
  TraceQuery,
} from './schemas.ts';
import { spanTree } from './span-tree.ts';

const common = { method: 'GET', tier: 'console', tag: 'Observability' } as const;
const TraceParams = Type.Object({ traceId: Id });
const SpanParams = Type.Object({ spanId: Id });
/** For each list. */
const endsEarly =
  'A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one.';

/**
 * Recorded traces, spans and logs. If recording is off, lists are empty and single items are not
 * found.
 */
export const observabilityRoutes = [
  defineRoute({
    ...common,
    url: '/observability/status',
    operationId: 'getObservabilityStatus',
    readsList: true,
    summary: 'Get whether and where runs are recorded',
    data: ObservabilityStatus,
    handler: async (_, services) => describeStatus(await readTelemetry(services), services.site.prefix),
  }),
  defineRoute({
    ...common,
    url: '/observability/traces',
    operationId: 'listTraces',
    readsList: true,
    summary: 'List traces, newest first',
    description: endsEarly,
    query: TraceQuery,
    data: TracePage,
    handler: async ({ caller, query }, services) => {
      const { from, offset, to, ...others } = query;
      const filter = { ...others, offset, maxBytes: services.limits.pageBytes, ...toTimes({ from, to }) };
      const store = await readTelemetry(services);
      const owner = ownerForCaller(caller);
      const { total, traces } = (await store?.listTraces(owner, filter)) ?? { traces: [], total: 0 };
      const failures = store === undefined ? undefined : await findFirstFailures(store, owner, traces);
      const feedback = store === undefined ? undefined : await countFeedback(store, owner, traces);
      return {
        traces: traces.map((trace) =>
          describeTrace(trace, { failure: failures?.get(trace.traceId), feedback: feedback?.get(trace.traceId) }),
        ),
        count: traces.length,
        total,
        hasMore: offset + traces.length < total,
      };
    },
  }),
  defineRoute({
    ...common,
    url: '/observability/traces/:traceId',
    operationId: 'getTrace',
    readsList: true,
    summary: 'Get a trace with its spans, by their start time',
    description: `${endsEarly} The tree contains the spans of the page.`,
    params: TraceParams,
    query: SpanPageQuery,
    failures: [404],
    data: Trace,
    handler: async ({ caller, params: { traceId }, query: { limit, offset, view } }, services) => {
      const [owner, store] = [ownerForCaller(caller), await readTelemetry(services)];
      await checkTrace(store, owner, traceId);
      const range = { limit, offset, maxBytes: services.limits.pageBytes };
      const spans = ((await store?.findTrace(owner, traceId, range)) ?? []).map(describeSpan);
      const next = await store?.findTrace(owner, traceId, { limit: 1, offset: offset + spans.length });
      const hasMore = next !== undefined && next.length > 0;
      const shown = view === 'full' ? spans : spans.map(view === 'outline' ? toOutline : toStep);
      const tree = view === 'full' ? spanTree(spans) : [];
      return { traceId, spans: shown, tree, spanCount: spans.length, hasMore };
    },
  }),
  defineRoute({
    ...common,
    url: '/observability/spans',
    operationId: 'listSpans',
    readsList: true,
    summary: 'List spans of all traces, newest first',
    description: `The runs of an agent, a workflow or a tool, and the calls of a model. The spans have no prompts, replies, arguments and results. ${endsEarly}`,
    query: SpanQuery,
    data: SpanPage,
    handler: async ({ caller, query: { entry, from, to, ...query } }, services) => {
      const maxBytes = services.limits.pageBytes;
      const filter = { ...query, isEntry: entry, maxBytes, ...toTimes({ from, to }) };
      const store = await readTelemetry(services);
      const { spans, total } = (await store?.listSpans(ownerForCaller(caller), filter)) ?? { spans: [], total: 0 };
      return {
        spans: spans.map((span) => toOutline(describeSpan(span))),
        count: spans.length,
        total,
        hasMore: query.offset + spans.length < total,
      };
    },
  }),
  defineRoute({
    ...common,
    url: '/observability/spans/:spanId',
    operationId: 'getSpan',
    summary: 'Get a span',
    params: SpanParams,
    failures: [404],
    data: Span,
    handler: async ({ caller, params: { spanId } }, services) =>
      describeSpan(await getSpan(await readTelemetry(services), ownerForCaller(caller), spanId)),
  }),
  defineRoute({
    ...common,
    url: '/observability/traces/:traceId/logs',
    operationId: 'listTraceLogs',
    readsList: true,
    summary: 'List the log records of a trace, newest first',
    description: endsEarly,
    params: TraceParams,
    query: LogPageQuery,
    failures: [404],
    data: LogPage,
    handler: async ({ caller, params: { traceId }, query: { limit, offset } }, services) => {
      const [owner, store] = [ownerForCaller(caller), await readTelemetry(services)];
      await checkTrace(store, owner, traceId);
      const { pageBytes: maxBytes } = services.limits;
      return listLogs(store, owner, { traceId, limit, maxBytes, offset }, { traceId, limit, offset });
    },
  }),
  defineRoute({
    ...common,
    url: '/observability/spans/:spanId/logs',
    operationId: 'listSpanLogs',
    readsList: true,
    summary: 'List the log records of a span, newest first',
    description: endsEarly,
    params: SpanParams,
    query: LogPageQuery,
    failures: [404],
    data: LogPage,
    handler: async ({ caller, params: { spanId }, query: { limit, offset } }, services) => {
      const [owner, store] = [ownerForCaller(caller), await readTelemetry(services)];
      await getSpan(store, owner, spanId);
      const { pageBytes: maxBytes } = services.limits;
      return listLogs(store, owner, { spanId, limit, maxBytes, offset }, { spanId, limit, offset });
    },
  }),
  defineRoute({
    ...common,
    url: '/observability/logs',
    operationId: 'queryLogs',
    readsList: true,
    summary: 'List log records, newest first',
    description: endsEarly,
    query: LogQuery,
    data: LogPage,
    handler: async ({ caller, query }, services) => {
      const { from, limit, offset, severityNumber, severityText, spanId, text, to, traceId } = query;
      const fields = {
        ...(traceId !== undefined && { traceId }),
        ...(spanId !== undefined && { spanId }),
        ...(severityText !== undefined && { severityText }),
        ...(severityNumber !== undefined && { severityNumber }),
        ...(text !== undefined && { text }),
        limit,
        offset,
      };
      const filter = { ...fields, maxBytes: services.limits.pageBytes, ...toTimes({ from, to }) };
      const echo = { ...fields, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      return listLogs(await readTelemetry(services), ownerForCaller(caller), filter, echo);
    },
  }),
];

async function describeStatus(store: TelemetryStore | undefined, prefix: string): Promise<ObservabilityStatus> {
  const websocket = `${prefix}/ws/observability`;
  const { logs, spans, traces } = (await store?.counts()) ?? { traces: 0, spans: 0, logs: 0 };
  const counts = { traceCount: traces, spanCount: spans, logCount: logs };
  if (store === undefined) {
    const message = 'Nothing is recorded: the option `telemetry` is false';
    return { enabled: false, storage: null, persistent: false, websocket, ...counts, message };
  }
  const { isPersistent, name } = store;
  const message = isPersistent ? 'Runs are recorded' : 'The newest runs are recorded in this process, until it ends';
  return { enabled: true, storage: name, persistent: isPersistent, websocket, ...counts, message };
}

/** @throws InvalidInputError for an invalid timestamp. */
function toTimes({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly from?: number;
  readonly to?: number;
} {
  return {
    ...(from !== undefined && { from: toTime('query/from', from) }),
    ...(to !== undefined && { to: toTime('query/to', to) }),
  };
}

/** @throws NotFoundError */
async function checkTrace(store: TelemetryStore | undefined, owner: Owner, traceId: string): Promise<void> {
  const first = (await store?.findTrace(owner, traceId, { limit: 1, offset: 0 })) ?? [];
  if (first.length === 0) throw new NotFoundError('trace', traceId);
}

async function getSpan(
  store: TelemetryStore | undefined,
  owner: Owner,
  spanId: string,
): Promise<NonNullable<Awaited<ReturnType<TelemetryStore['findSpan']>>>> {
  const span = await store?.findSpan(owner, spanId);
  if (span === undefined) throw new NotFoundError('span', spanId);
  return span;
}

async function listLogs(
  store: TelemetryStore | undefined,
  owner: Owner,
  filter: LogFilter,
  echo: LogPage['filter'],
): Promise<LogPage> {
  const { logs, total } = (await store?.listLogs(owner, filter)) ?? { logs: [], total: 0 };
  const hasMore = filter.offset + logs.length < total;
  return { logs: logs.map(describeLog), count: logs.length, hasMore, filter: echo };
}

/**
 * The telemetry store, with everything recorded so far flushed to it; undefined if recording is
 * off.
 */
export async function readTelemetry({ telemetry }: Pick<Services, 'telemetry'>): Promise<TelemetryStore | undefined> {
  await telemetry?.flush();
  return telemetry?.store;
}
