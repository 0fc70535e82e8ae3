import type { SpanRecord, TraceStatus, TraceSummary } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import {
  dropping,
  listing,
  listingLogs,
  listingSpans,
  ownerless,
  passing,
  setting,
  summing,
  type TelemetryFault,
  writingLogs,
} from './telemetry-fault.ts';

/** Faults of summaries, lists, filters and ownership. */
export const telemetryListFaults: FaultTable<TelemetryFault> = {
  'summarizes a trace by its root, its span count and its latest end': summing((trace) => ({
    ...trace,
    spanCount: trace.spanCount - 1,
  })),
  // Uses the last entry as the root.
  'uses the earliest entry as the root, in whatever order the entries arrive': summing((trace, spans) =>
    rootedIn(
      trace,
      spans.findLast(({ isEntry }) => isEntry),
    ),
  ),
  'uses the earliest span as the root while no entry has arrived': summing((trace) =>
    trace.rootSpan.isEntry ? trace : undefined,
  ),
  'takes the status of a trace from its latest entry only': summing((trace, spans) => ({
    ...trace,
    status: statusOf(spans),
  })),
  'has no entity when the root has none': summing((trace, spans) => {
    const found = spans.find(({ attributes }) => attributes['entity.id'] !== undefined) ?? trace.rootSpan;
    return { ...rootedIn(trace, found), rootSpan: trace.rootSpan };
  }),
  'lists traces by start time, latest first, in whatever order they arrived': listing((traces) => traces.toReversed()),
  'lists traces in pages, with the total of all that match': setting('listTraces', { offset: 0 }),
  'lists each of several traces with the same start time on one page only': listing((traces, { offset }) =>
    offset % 4 === 0 ? traces : traces.toReversed(),
  ),
  'combines the trace filters for entity, status and start time': [
    dropping('listTraces', 'status'),
    dropping('listTraces', 'entityType'),
  ],
  'filters traces by the user of an entry, within those of the owner': passing('listTraces', (owner, filter) => [
    owner,
    {
      ...filter,
      userId: undefined,
    },
  ]),
  'lists the runs of an agent, including delegated and running ones, newest first': listingSpans((spans) =>
    spans.toReversed(),
  ),
  'filters runs by the user of the run': dropping('listSpans', 'userId'),
  'filters spans by model, status, kind, trace and time': [
    dropping('listSpans', 'model'),
    dropping('listSpans', 'status'),
    dropping('listSpans', 'isEntry'),
    dropping('listSpans', 'traceIds'),
    passing('listSpans', (owner, filter) => [owner, { ...filter, to: filter.to && filter.to - 1 }]),
  ],
  'lists logs newest first; of several with the same time, the last to arrive first': listingLogs((logs) =>
    logs.toReversed(),
  ),
  'stores equal log lines separately': writingLogs((logs) => [...new Map(logs.map((log) => [log.body, log])).values()]),
  'filters logs by severity: by its text in upper or lower case, its number, and a minimum': passing(
    'listLogs',
    (owner, filter) => [
      owner,
      {
        ...filter,
        minSeverity: (filter.minSeverity ?? 0) + 1,
      },
    ],
  ),
  'combines the log filters for ids and times': [
    dropping('listLogs', 'conversationId'),
    dropping('listLogs', 'spanId'),
    passing('listLogs', (owner, filter) => [owner, { ...filter, to: (filter.to ?? 1e15) - 1 }]),
  ],
  'finds logs by a text in their body and attributes, with the other filters': passing('listLogs', (owner, filter) => [
    owner,
    {
      ...filter,
      text: undefined,
    },
  ]),
  'leaves out the logs of a client, with the other filters': passing('listLogs', (owner, filter) => [
    owner,
    {
      ...filter,
      withoutClient: undefined,
    },
  ]),
  'finds traces by a text in one of their spans, within those of the owner': dropping('listTraces', 'text'),
  'sums the tokens and the cost of the model calls of a trace': summing((trace) => ({
    ...trace,
    cost: trace.cost ?? 0,
  })),
  'filters traces by the agents, tools and models in them, and by duration, tokens and cost': (
    ['agentId', 'toolName', 'model', 'minDurationMs', 'minTokens', 'minCost'] as const
  ).map((name) => dropping('listTraces', name)),
  'filters traces by the feedback in them; a later rating replaces the one before': dropping('listTraces', 'feedback'),
  'lists traces by their duration, tokens or cost, the greatest first': dropping('listTraces', 'sort'),
  'lists only the traces of the owner, and all traces for anyone': ownerless('listTraces'),
  'finds all spans in the traces of the owner, and no others': ownerless('findSpan', 'findTrace'),
  'assigns a trace to the users of its entries, and of no other spans': passing('write', ({ spans, logs }) => [
    { spans: spans.map((span) => ({ ...span, isEntry: true })), logs },
  ]),
  'lists the runs in the traces of the owner': ownerless('listSpans'),
  'lists the logs of the owner in any trace': ownerless('listLogs'),
};

function rootedIn(trace: TraceSummary, root: SpanRecord | undefined): TraceSummary {
  if (root === undefined) return trace;
  const [entityId, entityType] = [root.attributes['entity.id'], root.attributes['entity.type']];
  return {
    ...trace,
    rootSpan: root,
    startTime: root.startTime,
    entityId: typeof entityId === 'string' ? entityId : null,
    entityType: typeof entityType === 'string' ? entityType : null,
  };
}

function statusOf(spans: readonly SpanRecord[]): TraceStatus {
  if (spans.some(({ status }) => status.code === 2)) return 'error';
  return spans.some(({ endTime }) => endTime === null) ? 'running' : 'ok';
}
