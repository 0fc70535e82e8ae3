import type { MetricsQuery, MetricSums, SpanRecord, TelemetryMetrics, TelemetryStore } from '@halyard/contracts';
import { type TelemetryFault, writingSpans } from './telemetry-fault.ts';

const inIntervals =
  'counts requests with their errors and durations in the interval of their start, and those before it together';
const outcomes = 'counts requests that were aborted or refused apart from errors, also in groups';
const byGroup = 'counts runs of agents and workflows, and calls of models, with their tokens and costs';
const groupTime =
  'orders groups by requests, then by tokens, and counts in them only what started in the requested time';
const ofUser = 'counts for a user only what belongs to the user';
const again = 'counts a span once that is written again, with its last record';
const forgottenInPart = 'counts nothing more of a user whose spans were deleted from a trace of several users';
const forgotten = 'counts nothing more of deleted users and purged days';

/** Faults of metrics. */
export const telemetryMetricFaults: readonly TelemetryFault[] = [
  ['counts no errors', inIntervals, counting((metrics) => changed(metrics, { errors: 0 }))],
  ['counts no aborted requests', outcomes, counting((metrics) => changed(metrics, { aborted: 0 }))],
  ['counts no refused requests', outcomes, counting((metrics) => changed(metrics, { refused: 0 }))],
  ['counts no durations', inIntervals, counting((metrics) => changed(metrics, { latencies: [] }))],
  [
    'counts nothing before',
    inIntervals,
    counting((metrics) => ({ ...metrics, previous: changedSums(metrics.previous) })),
  ],
  [
    'counts running spans',
    inIntervals,
    writingSpans((spans) => spans.map((span) => ({ ...span, endTime: span.endTime ?? span.startTime }))),
  ],
  [
    'counts hours from their second half',
    'counts hours like minutes',
    asking((query) =>
      query.intervalMs < 3_600_000 ? query : { ...query, from: query.from + 1_800_000, to: query.to + 1_800_000 },
    ),
  ],
  ['counts no costs', byGroup, counting((metrics) => changed(metrics, { cost: null }))],
  ['counts no tokens of a cache', byGroup, counting((metrics) => changed(metrics, { cachedInputTokens: 0 }))],
  [
    'counts no calls of agents inside workflows',
    byGroup,
    writingSpans((spans) =>
      spans.filter(({ attributes, isEntry }) => isEntry || attributes['entity.type'] !== 'agent'),
    ),
  ],
  [
    'counts calls of models for the workflow at the root of their trace',
    'counts a model call for the workflow that it names, and for no other of its trace',
    writingSpans(async (spans, store) => Promise.all(spans.map(async (span) => ofRoot(span, store)))),
  ],
  [
    'lists all groups',
    'lists the groups with the most requests over time, and sums the others',
    asking((query) => ({ ...query, maxGroups: 100 })),
  ],
  [
    'ignores the group',
    'lists the groups with the most requests over time, and sums the others',
    asking((query) => ({ ...query, group: undefined })),
  ],
  [
    'counts the time before in the groups',
    groupTime,
    asking((query) => ({ ...query, from: query.from - (query.to - query.from) })),
  ],
  ['counts nothing of the others but requests', groupTime, summing(({ requests }) => ({ ...none, requests }))],
  [
    'lists groups in the order of their names',
    groupTime,
    counting((metrics) => ({
      ...metrics,
      groups: metrics.groups.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    })),
  ],
  [
    'counts for a user what belongs to anyone',
    ofUser,
    (store) => ({ metrics: (_owner, query) => store.metrics('anyone', query) }),
  ],
  [
    'counts a span again that is written again',
    again,
    (store) => {
      const counted = new Map<string, number>();
      return {
        write: async ({ logs, spans }) => {
          await store.write({ spans: spans.map((span) => copyOf(span, counted)), logs });
        },
      };
    },
  ],
  ['counts what was deleted from a trace of several users', forgottenInPart, () => ({ deleteUser: async () => 0 })],
  ['counts what was deleted', forgotten, () => ({ deleteUser: async () => 0 })],
  ['counts what was purged', forgotten, () => ({ purge: async () => 0 })],
];

function counting(change: (metrics: TelemetryMetrics) => TelemetryMetrics): TelemetryFault[2] {
  return (store) => ({ metrics: async (owner, query) => change(await store.metrics(owner, query)) });
}

function asking(change: (query: MetricsQuery) => MetricsQuery): TelemetryFault[2] {
  return (store) => ({ metrics: (owner, query) => store.metrics(owner, change(query)) });
}

function summing(change: (others: Others) => Others): TelemetryFault[2] {
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
};

function changed(metrics: TelemetryMetrics, values: Partial<MetricSums>): TelemetryMetrics {
  return { ...metrics, points: metrics.points.map((point) => ({ ...point, ...values })) };
}

function changedSums(sums: MetricSums): MetricSums {
  return { ...sums, requests: 0, errors: 0 };
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
