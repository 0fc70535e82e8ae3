import type { MetricsQuery, MetricSums, SpanRecord, TelemetryMetrics, TelemetryStore } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, ownerless, returning, type TelemetryFault, writingSpans } from './telemetry-fault.ts';

/** Faults of metrics. */
export const telemetryMetricFaults: FaultTable<TelemetryFault> = {
  'counts requests with their errors and durations in the interval of their start, and those before it together': [
    counting((metrics) => changed(metrics, { errors: 0 })),
    counting((metrics) => changed(metrics, { latencies: [] })),
    counting((metrics) => ({
      ...metrics,
      previous: { ...metrics.previous, requests: 0, errors: 0 },
    })),
  ],
  'counts requests that were aborted or refused apart from errors, also in groups': counting((metrics) =>
    changed(metrics, { aborted: 0 }),
  ),
  'counts hours like minutes': asking((query) =>
    query.intervalMs < 3_600_000 ? query : { ...query, from: query.from + 1_800_000, to: query.to + 1_800_000 },
  ),
  'counts runs of agents and workflows, and calls of models, with their tokens and costs': [
    counting((metrics) => changed(metrics, { cost: null })),
    counting((metrics) => changed(metrics, { cachedInputTokens: 0 })),
    counting((metrics) => changed(metrics, { unpricedCalls: 0 })),
  ],
  'counts a model call for the workflow that it names, and for no other of its trace': writingSpans(
    async (spans, store) => Promise.all(spans.map(async (span) => ofRoot(span, store))),
  ),
  'lists the groups with the most requests over time, and sums the others': [
    asking((query) => ({ ...query, maxGroups: 100 })),
    asking((query) => ({ ...query, group: undefined })),
  ],
  'orders groups by requests, then by tokens, and counts in them only what started in the requested time': summing(
    ({ requests }) => ({ ...none, requests }),
  ),
  'counts for a user only what belongs to the user': ownerless('metrics'),
  // Counts a span again that is written again.
  'counts a span once that is written again, with its last record': (store) => {
    const counted = new Map<string, number>();
    return {
      write: async ({ logs, spans }) => {
        await store.write({ spans: spans.map((span) => copyOf(span, counted)), logs });
      },
    };
  },
  'counts nothing more of a user whose spans were deleted from a trace of several users': () => ({
    deleteUser: async () => 0,
  }),
  'counts nothing more of deleted users and purged days': [
    () => ({ deleteUser: async () => 0 }),
    () => ({ purge: async () => 0 }),
  ],
};

function counting(change: (metrics: TelemetryMetrics) => TelemetryMetrics): TelemetryFault {
  return returning('metrics', (metrics) => change(metrics));
}

function asking(change: (query: MetricsQuery) => MetricsQuery): TelemetryFault {
  return passing('metrics', (owner, query) => [owner, change(query)]);
}

function summing(change: (others: Others) => Others): TelemetryFault {
  return counting((metrics) => ({ ...metrics, others: metrics.others && change(metrics.others) }));
}

type Others = Omit<MetricSums, 'latencies'>;

const none: Others = {
  requests: 0,
  errors: 0,
  aborted: 0,
  refused: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cost: null,
  unpricedCalls: 0,
};

function changed(metrics: TelemetryMetrics, values: Partial<MetricSums>): TelemetryMetrics {
  return { ...metrics, points: metrics.points.map((point) => ({ ...point, ...values })) };
}

/** The span with the workflow that is the root of its trace, if there is one. */
async function ofRoot(span: SpanRecord, store: TelemetryStore): Promise<SpanRecord> {
  const spans = await store.findTrace('anyone', span.traceId);
  const root = spans.find(({ parentSpanId }) => parentSpanId === null)?.attributes ?? {};
  const workflow = root['entity.type'] === 'workflow' ? root['entity.id'] : undefined;
  return workflow === undefined
    ? span
    : { ...span, attributes: { ...span.attributes, 'halyard.workflow.id': workflow } };
}

/** The same span with another id, each time. */
function copyOf(span: SpanRecord, counted: Map<string, number>): SpanRecord {
  const times = (counted.get(span.spanId) ?? 0) + 1;
  counted.set(span.spanId, times);
  return times === 1 ? span : { ...span, spanId: `${span.spanId}-${times}` };
}
