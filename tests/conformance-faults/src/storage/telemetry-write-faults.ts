import type { SpanRecord } from '@halyard/contracts';
import { pause } from './conversation-fault.ts';
import { type TelemetryFault, writingLogs, writingSpans } from './telemetry-fault.ts';

const endedWins = 'replaces a running span by its ended record, in either order, in one batch and in several';
const replaces = 'replaces a span as a whole by a later record';
const order = 'returns the spans of a trace by start time, those with the same start time in the order of arrival';
const keepsOrder = 'keeps the order of spans with the same start time, and the root of a trace, when one of them ends';
const forgets = 'deletes the traces and logs of one user only';
const forgetsOwn = 'deletes only the spans of a user from a trace that the user shares with others';
const purges = 'purges what started long before a time, and nothing that started at that time or later';
const unknown = 'finds nothing for unknown ids of any form';
const wholeSpan = 'returns all fields of a span';
const computed = 'returns the attributes that a span computes, and prefers those that it was given';
const anyText = 'stores any text in spans, including large texts and characters that databases reject';
const wholeLog = 'returns all fields of a log with any attributes';

/** Faults of writing, storing and deleting. */
export const telemetryWriteFaults: readonly TelemetryFault[] = [
  [
    'stores the last record of a span, even a running one',
    endedWins,
    (store) => {
      const last = new Map<string, SpanRecord>();
      return {
        write: async (batch) => {
          for (const span of batch.spans) last.set(span.spanId, span);
          await store.write(batch);
        },
        findSpan: async (_owner, id) => last.get(id),
      };
    },
  ],
  ['does not compute attributes', computed, writingSpans((spans) => spans.map(({ describe: _, ...span }) => span))],
  [
    'prefers computed attributes to given ones',
    computed,
    writingSpans((spans) =>
      spans.map((span) => ({ ...span, attributes: { ...span.attributes, ...span.describe?.() } })),
    ),
  ],
  [
    'stores only the first record of a span',
    endedWins,
    writingSpans(async (spans, store) => {
      const known = await Promise.all(spans.map(({ spanId }) => store.findSpan('anyone', spanId)));
      return spans.filter((_, index) => known[index] === undefined);
    }),
  ],
  [
    'stores the first record of a span that is in a batch twice',
    endedWins,
    writingSpans((spans) =>
      spans.filter((span, index) => spans.findIndex((one) => one.spanId === span.spanId) === index),
    ),
  ],
  [
    'checks whether a span has ended, and writes later',
    'stores the ended record when running and ended ones are written at the same time',
    (store) => {
      const stored = new Map<string, SpanRecord>();
      return {
        write: async (batch) => {
          for (const span of batch.spans) {
            const before = stored.get(span.spanId);
            await pause();
            if (before === undefined || before.endTime === null || span.endTime !== null) stored.set(span.spanId, span);
          }
          await store.write(batch);
        },
        findSpan: async (_owner, id) => stored.get(id),
      };
    },
  ],
  [
    'merges the attributes of a repeated span',
    replaces,
    writingSpans((spans, store) =>
      Promise.all(
        spans.map(async (span) => {
          const before = await store.findSpan('anyone', span.spanId);
          return { ...span, attributes: { ...before?.attributes, ...span.attributes } };
        }),
      ),
    ),
  ],
  [
    'never replaces a span that has ended',
    replaces,
    writingSpans(async (spans, store) => {
      const known = await Promise.all(spans.map(({ spanId }) => store.findSpan('anyone', spanId)));
      return spans.filter((_, index) => typeof known[index]?.endTime !== 'number');
    }),
  ],
  [
    'drops a span whose parent is not stored',
    'accepts children before their parents',
    writingSpans(async (spans, store) => {
      const parents = await Promise.all(spans.map(({ parentSpanId }) => store.findSpan('anyone', parentSpanId ?? '')));
      return spans.filter(({ parentSpanId }, index) => parentSpanId === null || parents[index] !== undefined);
    }),
  ],
  [
    'returns the spans of a trace by their ids',
    order,
    (store) => ({
      findTrace: async (owner, id) =>
        (await store.findTrace(owner, id)).toSorted((one, other) => (one.spanId < other.spanId ? -1 : 1)),
    }),
  ],
  [
    'orders spans with the same start time by their ids',
    order,
    (store) => ({
      findTrace: async (owner, id) =>
        (await store.findTrace(owner, id)).toSorted(
          (one, other) => one.startTime - other.startTime || (one.spanId < other.spanId ? -1 : 1),
        ),
    }),
  ],
  [
    'orders spans with the same start time by their last records',
    keepsOrder,
    (store) => {
      const written: string[] = [];
      return {
        write: async (batch) => {
          written.push(...batch.spans.map(({ spanId }) => spanId));
          await store.write(batch);
        },
        findTrace: async (owner, id) =>
          (await store.findTrace(owner, id)).toSorted(
            (one, other) =>
              one.startTime - other.startTime || written.lastIndexOf(one.spanId) - written.lastIndexOf(other.spanId),
          ),
      };
    },
  ],
  [
    'counts a trace for each span',
    'counts traces, spans and logs, and returns zeros for an empty store',
    (store) => ({
      counts: async () => {
        const counts = await store.counts();
        return { ...counts, traces: counts.spans };
      },
    }),
  ],
  [
    'stores only the first thousand spans of a batch',
    'accepts thousands of spans and logs in one batch',
    writingSpans((spans) => spans.slice(0, 1_000)),
  ],
  [
    'deletes the traces of a user, but not the logs',
    forgets,
    (store) => ({
      deleteUser: async (userId) => {
        const { logs } = await store.listLogs('anyone', { limit: 1_000, offset: 0 });
        const traces = await store.deleteUser(userId);
        await store.write({ spans: [], logs: logs.filter(({ attributes }) => attributes['userId'] === userId) });
        return traces;
      },
    }),
  ],
  [
    'returns the number of deleted spans instead of traces',
    forgets,
    (store) => ({
      deleteUser: async (userId) => {
        const { spans } = await store.counts();
        await store.deleteUser(userId);
        return spans - (await store.counts()).spans;
      },
    }),
  ],
  [
    'deletes whole traces of a user',
    forgetsOwn,
    (store) => {
      const gone = new Set<string>();
      return {
        deleteUser: async (userId) => {
          const { traces } = await store.listTraces({ user: userId }, { limit: 1_000, offset: 0 });
          for (const { traceId } of traces) gone.add(traceId);
          return store.deleteUser(userId);
        },
        findTrace: async (owner, id) => (gone.has(id) ? [] : store.findTrace(owner, id)),
      };
    },
  ],
  ['purges what started at the given time', purges, (store) => ({ purge: (before) => store.purge(before + 1) })],
  ['purges nothing', purges, () => ({ purge: async () => 0 })],
  [
    'ignores the case of trace ids',
    unknown,
    (store) => ({ findTrace: (owner, id) => store.findTrace(owner, id.toLowerCase()) }),
  ],
  [
    'ignores an empty trace id in the filter of logs',
    unknown,
    (store) => ({
      listLogs: (owner, filter) => store.listLogs(owner, { ...filter, traceId: filter.traceId || undefined }),
    }),
  ],
  [
    'loses the attributes of links',
    wholeSpan,
    writingSpans((spans) =>
      spans.map((span) => ({ ...span, links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })) })),
    ),
  ],
  [
    'adds an empty status message',
    wholeSpan,
    writingSpans((spans) => spans.map((span) => ({ ...span, status: { message: '', ...span.status } }))),
  ],
  [
    'removes characters that databases reject',
    anyText,
    writingSpans((spans) => spans.map((span) => ({ ...span, name: span.name.replaceAll('\0', '') }))),
  ],
  [
    'truncates long texts',
    anyText,
    writingSpans((spans) =>
      spans.map((span) => ({
        ...span,
        attributes: Object.fromEntries(
          Object.entries(span.attributes).map(([name, value]) => [
            name,
            typeof value === 'string' ? value.slice(0, 32_768) : value,
          ]),
        ),
      })),
    ),
  ],
  [
    'stores log attributes as text',
    wholeLog,
    writingLogs((logs) =>
      logs.map((log) => ({
        ...log,
        attributes: Object.fromEntries(
          Object.entries(log.attributes).map(([name, value]) => [name, JSON.stringify(value)]),
        ),
      })),
    ),
  ],
  [
    'stores an empty trace id for logs without a trace',
    wholeLog,
    writingLogs((logs) => logs.map((log) => ({ ...log, traceId: log.traceId ?? '' }))),
  ],
];
