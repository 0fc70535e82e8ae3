import type { LogRecord, SpanRecord, TraceStatus, TraceSummary } from '@halyard/contracts';
import {
  filteringLogs,
  filteringRuns,
  filteringTraces,
  listing,
  listingLogs,
  listingRuns,
  summing,
  type TelemetryFault,
  writingLogs,
} from './telemetry-fault.ts';

const sums = 'summarizes a trace by its root, its span count and its latest end';
const earliest = 'uses the earliest entry as the root, in whatever order the entries arrive';
const withoutEntry = 'uses the earliest span as the root while no entry has arrived';
const stands = 'takes the status of a trace from its latest entry only';
const newest = 'lists traces by start time, latest first, in whatever order they arrived';
const pages = 'lists traces in pages, with the total of all that match';
const filters = 'combines the trace filters for entity, status and start time';
const userFilter = 'filters traces by the user of an entry, within those of the owner';
const runs = 'lists the runs of an agent, including delegated and running ones, newest first';
const userRuns = 'filters runs by the user of the run';
const logOrder = 'lists logs newest first; of several with the same time, the last to arrive first';
const severity = 'filters logs by severity: by its text in upper or lower case, its number, and a minimum';
const logFilters = 'combines the log filters for ids and times';
const logText = 'finds logs by a text in their body and attributes, with the other filters';
const logClient = 'leaves out the logs of a client, with the other filters';
const traceText = 'finds traces by a text in their root, within those of the owner';
const ownTraces = 'lists only the traces of the owner, and all traces for anyone';
const ownSpans = 'finds all spans in the traces of the owner, and no others';
const anyEntry = 'assigns a trace to the users of its entries, and of no other spans';
const ownRuns = 'lists the runs in the traces of the owner';
const ownLogs = 'lists the logs of the owner in any trace';

/** Faults of summaries, lists, filters and ownership. */
export const telemetryListFaults: readonly TelemetryFault[] = [
  ['counts children only', sums, summing((trace) => ({ ...trace, spanCount: trace.spanCount - 1 }))],
  ['ends a trace with its root', sums, summing((trace) => ({ ...trace, endTime: trace.rootSpan.endTime }))],
  [
    'uses the last entry as the root',
    earliest,
    summing((trace, spans) =>
      rootedIn(
        trace,
        spans.findLast(({ isEntry }) => isEntry),
      ),
    ),
  ],
  [
    'hides a trace while no entry has arrived',
    withoutEntry,
    summing((trace) => (trace.rootSpan.isEntry ? trace : undefined)),
  ],
  [
    'uses the latest span as the root while no entry has arrived',
    withoutEntry,
    summing((trace, spans) => (trace.rootSpan.isEntry ? trace : rootedIn(trace, spans.at(-1)))),
  ],
  [
    'takes the status of a trace from its root',
    stands,
    summing((trace) => ({ ...trace, status: statusOf([trace.rootSpan]) })),
  ],
  [
    'marks a trace as failed when any of its spans has failed',
    stands,
    summing((trace, spans) => ({ ...trace, status: statusOf(spans) })),
  ],
  [
    'marks a trace as running while any of its spans runs',
    stands,
    summing((trace, spans) =>
      spans.some(({ endTime }) => endTime === null) ? { ...trace, status: 'running' } : trace,
    ),
  ],
  [
    'returns an end time for a running trace',
    stands,
    summing((trace, spans) => ({ ...trace, endTime: spans[0]?.endTime ?? 0 })),
  ],
  [
    'uses the entity of any span',
    'has no entity when the root has none',
    summing((trace, spans) => {
      const found = spans.find(({ attributes }) => attributes['entity.id'] !== undefined) ?? trace.rootSpan;
      return { ...rootedIn(trace, found), rootSpan: trace.rootSpan };
    }),
  ],
  ['lists the oldest trace first', newest, listing((traces) => traces.toReversed())],
  [
    'lists traces by their ids',
    newest,
    listing((traces) => traces.toSorted((one, other) => (one.traceId < other.traceId ? -1 : 1))),
  ],
  [
    'returns the size of the page as the total',
    pages,
    (store) => ({
      listTraces: async (owner, filter) => {
        const { traces } = await store.listTraces(owner, filter);
        return { traces, total: traces.length };
      },
    }),
  ],
  ['ignores the offset', pages, filteringTraces((filter) => ({ ...filter, offset: 0 }))],
  [
    'orders traces with the same start time differently on each page',
    'lists each of several traces with the same start time on one page only',
    listing((traces, { offset }) => (offset % 4 === 0 ? traces : traces.toReversed())),
  ],
  ['does not filter by status', filters, filteringTraces((filter) => ({ ...filter, status: undefined }))],
  [
    'does not filter by the type of entity',
    filters,
    filteringTraces((filter) => ({ ...filter, entityType: undefined })),
  ],
  [
    'ignores an empty entity id in the filter',
    filters,
    filteringTraces((filter) => ({ ...filter, entityId: filter.entityId || undefined })),
  ],
  [
    'excludes traces that started at the `from` time',
    filters,
    filteringTraces((filter) => ({ ...filter, from: (filter.from ?? 0) + 1 })),
  ],
  [
    'excludes traces that started at the `to` time',
    filters,
    filteringTraces((filter) => ({ ...filter, to: (filter.to ?? 1e15) - 1 })),
  ],
  ['does not filter traces by user', userFilter, filteringTraces((filter) => ({ ...filter, userId: undefined }))],
  ['lists no delegated runs', runs, listingRuns((spans) => spans.filter(({ isEntry }) => isEntry))],
  ['lists no running runs', runs, listingRuns((spans) => spans.filter(({ endTime }) => endTime !== null))],
  ['lists the oldest run first', runs, listingRuns((spans) => spans.toReversed())],
  ['does not filter runs by user', userRuns, filteringRuns((filter) => ({ ...filter, userId: undefined }))],
  [
    'filters runs by the user of the trace',
    userRuns,
    (store) => ({
      listRuns: (_owner, { userId, ...filter }) =>
        store.listRuns(userId === undefined ? 'anyone' : { user: userId }, filter),
    }),
  ],
  ['lists the oldest log first', logOrder, listingLogs((logs) => logs.toReversed())],
  [
    'lists logs with the same time in the order of arrival',
    logOrder,
    listingLogs((logs) => logs.toReversed().toSorted((one, other) => other.timestamp - one.timestamp)),
  ],
  [
    'stores equal log lines once',
    'stores equal log lines separately',
    writingLogs((logs) => [...new Map(logs.map((log) => [log.body, log])).values()]),
  ],
  [
    'compares severities with regard to case',
    severity,
    listingLogs((logs, filter) => logs.filter((log) => log.severityText === (filter.severityText ?? log.severityText))),
  ],
  [
    'treats a minimum severity as an exact one',
    severity,
    filteringLogs(({ severityNumber, ...filter }) => ({
      ...filter,
      minSeverity: severityNumber ?? filter.minSeverity,
    })),
  ],
  [
    'excludes logs of the minimum severity',
    severity,
    filteringLogs((filter) => ({ ...filter, minSeverity: (filter.minSeverity ?? 0) + 1 })),
  ],
  [
    'does not filter by conversation',
    logFilters,
    filteringLogs((filter) => ({ ...filter, conversationId: undefined })),
  ],
  ['does not filter by span', logFilters, filteringLogs((filter) => ({ ...filter, spanId: undefined }))],
  [
    'excludes logs at the `to` time',
    logFilters,
    filteringLogs((filter) => ({ ...filter, to: (filter.to ?? 1e15) - 1 })),
  ],
  ['does not search logs for a text', logText, filteringLogs((filter) => ({ ...filter, text: undefined }))],
  [
    'searches only the body of logs',
    logText,
    listingLogs((logs, { text }) => logs.filter(({ body }) => body.toLowerCase().includes((text ?? '').toLowerCase()))),
  ],
  [
    'searches logs with regard to case',
    logText,
    listingLogs((logs, { text }) => logs.filter((log) => JSON.stringify(log).includes(text ?? ''))),
  ],
  [
    'does not leave out the logs of a client',
    logClient,
    filteringLogs((filter) => ({ ...filter, withoutClient: undefined })),
  ],
  [
    'leaves out logs that mention a client',
    logClient,
    listingLogs((logs, { withoutClient }) =>
      logs.filter((log) => withoutClient === undefined || !JSON.stringify(log).includes(withoutClient)),
    ),
  ],
  ['does not search traces for a text', traceText, filteringTraces((filter) => ({ ...filter, text: undefined }))],
  [
    'searches the traces of all users for a text',
    traceText,
    (store) => ({
      listTraces: (owner, filter) => store.listTraces(filter.text === undefined ? owner : 'anyone', filter),
    }),
  ],
  [
    'lists the traces of all users',
    ownTraces,
    (store) => ({ listTraces: (_owner, filter) => store.listTraces('anyone', filter) }),
  ],
  ['finds the spans of all users', ownSpans, (store) => ({ findSpan: (_owner, id) => store.findSpan('anyone', id) })],
  [
    'finds the traces of all users',
    ownSpans,
    (store) => ({ findTrace: (_owner, id, range) => store.findTrace('anyone', id, range) }),
  ],
  [
    'finds only spans with the user’s id',
    ownSpans,
    (store) => ({
      findSpan: async (owner, id) => {
        const span = await store.findSpan(owner, id);
        return owner === 'anyone' || span?.attributes['user.id'] === owner.user ? span : undefined;
      },
    }),
  ],
  [
    'assigns a trace only to the user of its root',
    anyEntry,
    (store) => ({
      listTraces: async (owner, filter) => {
        const { traces } = await store.listTraces(owner, filter);
        const own = traces.filter(
          ({ rootSpan }) => owner === 'anyone' || rootSpan.attributes['user.id'] === owner.user,
        );
        return { traces: own, total: own.length };
      },
    }),
  ],
  [
    'assigns a trace to the users of all its spans',
    anyEntry,
    (store) => ({
      write: ({ spans, logs }) => store.write({ spans: spans.map((span) => ({ ...span, isEntry: true })), logs }),
    }),
  ],
  [
    'lists the runs of all users',
    ownRuns,
    (store) => ({ listRuns: (_owner, filter) => store.listRuns('anyone', filter) }),
  ],
  [
    'lists the runs with the user’s id in any trace',
    ownRuns,
    (store) => ({
      listRuns: (owner, filter) =>
        store.listRuns('anyone', owner === 'anyone' ? filter : { ...filter, userId: owner.user }),
    }),
  ],
  [
    'lists the logs of all users',
    ownLogs,
    (store) => ({ listLogs: (_owner, filter) => store.listLogs('anyone', filter) }),
  ],
  [
    'lists the logs in the traces of the owner instead of the owner’s logs',
    ownLogs,
    (store) => ({
      listLogs: async (owner) => {
        const logs: LogRecord[] = [];
        for (const log of (await store.listLogs('anyone', { limit: 1_000, offset: 0 })).logs) {
          const trace = await store.findTrace(owner, log.traceId ?? '');
          if (owner === 'anyone' || trace.length > 0) logs.push(log);
        }
        return { logs, total: logs.length };
      },
    }),
  ],
];

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
