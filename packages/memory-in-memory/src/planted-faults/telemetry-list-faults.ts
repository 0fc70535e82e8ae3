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

const sums = 'sums a trace up by its root, its spans and its ends';
const earliest = 'has for root the earliest entry, in whatever order they come';
const withoutEntry = 'has for root the earliest span while no entry has come';
const stands = 'stands as its latest entry stands, whatever became of others and of children';
const newest = 'lists traces with the newest beginning first, whenever they came';
const pages = 'lists traces page by page, and counts all that match';
const filters = 'filters traces by the entity of the root, its status and its beginning, all together';
const runs = 'lists the runs of an agent, delegated and running ones too, newest first';
const userRuns = 'filters runs by their own user';
const logOrder = 'lists logs newest first, of one moment the one that came last first';
const severity = 'filters logs by severity: by its text in any case, its number, and the least';
const logFilters = 'filters logs by ids and times, all together';
const ownTraces = 'lists one’s own traces, and for anyone all';
const ownSpans = 'finds the spans of one’s own traces, children too, and another’s as little as what is not there';
const anyEntry = 'takes a trace for a user’s by any of its entries, and by nothing but entries';
const ownRuns = 'lists the runs in one’s own traces';
const ownLogs = 'lists one’s own logs, whatever trace they are of';

/** Faults of what is summed up, listed, filtered, and shown to whom. */
export const telemetryListFaults: readonly TelemetryFault[] = [
  ['counts children only', sums, summing((trace) => ({ ...trace, spanCount: trace.spanCount - 1 }))],
  ['ends a trace with its root', sums, summing((trace) => ({ ...trace, endTime: trace.rootSpan.endTime }))],
  [
    'has for root the entry that came last',
    earliest,
    summing((trace, spans) =>
      rootedIn(
        trace,
        spans.findLast(({ isEntry }) => isEntry),
      ),
    ),
  ],
  [
    'hides a trace while its entry has not come',
    withoutEntry,
    summing((trace) => (trace.rootSpan.isEntry ? trace : undefined)),
  ],
  [
    'has for root the latest span while no entry has come',
    withoutEntry,
    summing((trace, spans) => (trace.rootSpan.isEntry ? trace : rootedIn(trace, spans.at(-1)))),
  ],
  ['stands as its root stands', stands, summing((trace) => ({ ...trace, status: statusOf([trace.rootSpan]) }))],
  ['has failed when any of its spans has', stands, summing((trace, spans) => ({ ...trace, status: statusOf(spans) }))],
  [
    'runs while any of its spans does',
    stands,
    summing((trace, spans) =>
      spans.some(({ endTime }) => endTime === null) ? { ...trace, status: 'running' } : trace,
    ),
  ],
  ['has an end while it runs', stands, summing((trace, spans) => ({ ...trace, endTime: spans[0]?.endTime ?? 0 }))],
  [
    'takes the entity of any span',
    'names no entity where the root has none',
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
    'counts what is on the page',
    pages,
    (store) => ({
      listTraces: async (owner, filter) => {
        const { traces } = await store.listTraces(owner, filter);
        return { traces, total: traces.length };
      },
    }),
  ],
  ['begins each page with the first', pages, filteringTraces((filter) => ({ ...filter, offset: 0 }))],
  [
    'lists traces of one moment in another order each time',
    'has each trace of one moment on one page',
    listing((traces, { offset }) => (offset % 4 === 0 ? traces : traces.toReversed())),
  ],
  ['does not filter by status', filters, filteringTraces((filter) => ({ ...filter, status: undefined }))],
  [
    'does not filter by the type of entity',
    filters,
    filteringTraces((filter) => ({ ...filter, entityType: undefined })),
  ],
  [
    'takes an empty id for none',
    filters,
    filteringTraces((filter) => ({ ...filter, entityId: filter.entityId || undefined })),
  ],
  [
    'lists what began after the time only',
    filters,
    filteringTraces((filter) => ({ ...filter, from: (filter.from ?? 0) + 1 })),
  ],
  [
    'lists what began before the time only',
    filters,
    filteringTraces((filter) => ({ ...filter, to: (filter.to ?? 1e15) - 1 })),
  ],
  ['lists runs that nobody delegated', runs, listingRuns((spans) => spans.filter(({ isEntry }) => isEntry))],
  ['lists runs that have ended', runs, listingRuns((spans) => spans.filter(({ endTime }) => endTime !== null))],
  ['lists the oldest run first', runs, listingRuns((spans) => spans.toReversed())],
  ['does not look whose run it is', userRuns, filteringRuns((filter) => ({ ...filter, userId: undefined }))],
  [
    'takes a run for that of the user of its trace',
    userRuns,
    (store) => ({
      listRuns: (_owner, { userId, ...filter }) =>
        store.listRuns(userId === undefined ? 'anyone' : { user: userId }, filter),
    }),
  ],
  ['lists the oldest log first', logOrder, listingLogs((logs) => logs.toReversed())],
  [
    'lists of one moment the log that came first first',
    logOrder,
    listingLogs((logs) => logs.toReversed().toSorted((one, other) => other.timestamp - one.timestamp)),
  ],
  [
    'keeps equal lines once',
    'keeps equal lines, each as one',
    writingLogs((logs) => [...new Map(logs.map((log) => [log.body, log])).values()]),
  ],
  [
    'looks at the case of a severity',
    severity,
    listingLogs((logs, filter) => logs.filter((log) => log.severityText === (filter.severityText ?? log.severityText))),
  ],
  [
    'takes a number for the least',
    severity,
    filteringLogs(({ severityNumber, ...filter }) => ({
      ...filter,
      minSeverity: severityNumber ?? filter.minSeverity,
    })),
  ],
  [
    'lists what is more severe only',
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
    'lists logs before the time only',
    logFilters,
    filteringLogs((filter) => ({ ...filter, to: (filter.to ?? 1e15) - 1 })),
  ],
  [
    'lists everybody’s traces',
    ownTraces,
    (store) => ({ listTraces: (_owner, filter) => store.listTraces('anyone', filter) }),
  ],
  ['finds anybody’s span', ownSpans, (store) => ({ findSpan: (_owner, id) => store.findSpan('anyone', id) })],
  ['finds anybody’s trace', ownSpans, (store) => ({ findTrace: (_owner, id) => store.findTrace('anyone', id) })],
  [
    'finds only those spans that name the user',
    ownSpans,
    (store) => ({
      findSpan: async (owner, id) => {
        const span = await store.findSpan(owner, id);
        return owner === 'anyone' || span?.attributes['user.id'] === owner.user ? span : undefined;
      },
    }),
  ],
  [
    'takes a trace for that of the user of its root',
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
    'takes a trace for that of any user whom one of its spans names',
    anyEntry,
    (store) => ({
      write: ({ spans, logs }) => store.write({ spans: spans.map((span) => ({ ...span, isEntry: true })), logs }),
    }),
  ],
  ['lists everybody’s runs', ownRuns, (store) => ({ listRuns: (_owner, filter) => store.listRuns('anyone', filter) })],
  [
    'takes for one’s own the runs that name the user',
    ownRuns,
    (store) => ({
      listRuns: (owner, filter) =>
        store.listRuns('anyone', owner === 'anyone' ? filter : { ...filter, userId: owner.user }),
    }),
  ],
  ['lists everybody’s logs', ownLogs, (store) => ({ listLogs: (_owner, filter) => store.listLogs('anyone', filter) })],
  [
    'takes for one’s own the logs of one’s own traces',
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
