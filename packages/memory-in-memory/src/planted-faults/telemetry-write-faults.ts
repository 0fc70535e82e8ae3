import type { SpanRecord } from '@halyard/contracts';
import { pause } from './conversation-fault.ts';
import { type TelemetryFault, writingLogs, writingSpans } from './telemetry-fault.ts';

const endedWins =
  'replaces a running span by the same one that has ended, whichever comes first, in one batch and in several';
const replaces = 'replaces a span by a later state of it, as a whole';
const order = 'tells the spans of a trace by their beginning, those of one moment in the order they came';
const forgets = 'forgets the traces and logs of a user, and nobody else’s';
const purges = 'forgets what is long past a time, and nothing of that time or later';
const unknown = 'knows nothing of ids that are not there, whatever they look like';
const wholeSpan = 'hands out all that was said of a span';
const computed = 'returns the attributes that a span computes, and prefers those that it was given';
const anyText = 'keeps any text in spans, also what databases refuse, and large ones';
const wholeLog = 'hands out all that was said in a log, whatever its attributes';

/** Faults of what is written, kept and forgotten. */
export const telemetryWriteFaults: readonly TelemetryFault[] = [
  [
    'keeps the last that came of a span',
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
    'keeps the first that came of a span',
    endedWins,
    writingSpans(async (spans, store) => {
      const known = await Promise.all(spans.map(({ spanId }) => store.findSpan('anyone', spanId)));
      return spans.filter((_, index) => known[index] === undefined);
    }),
  ],
  [
    'keeps the first of a span that is in a batch twice',
    endedWins,
    writingSpans((spans) =>
      spans.filter((span, index) => spans.findIndex((one) => one.spanId === span.spanId) === index),
    ),
  ],
  [
    'looks whether a span has ended, and writes later',
    'keeps the ended one of spans that are written at the same time',
    (store) => {
      const kept = new Map<string, SpanRecord>();
      return {
        write: async (batch) => {
          for (const span of batch.spans) {
            const before = kept.get(span.spanId);
            await pause();
            if (before === undefined || before.endTime === null || span.endTime !== null) kept.set(span.spanId, span);
          }
          await store.write(batch);
        },
        findSpan: async (_owner, id) => kept.get(id),
      };
    },
  ],
  [
    'adds the attributes of a span that comes again to those it had',
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
    'does not touch a span that has ended',
    replaces,
    writingSpans(async (spans, store) => {
      const known = await Promise.all(spans.map(({ spanId }) => store.findSpan('anyone', spanId)));
      return spans.filter((_, index) => typeof known[index]?.endTime !== 'number');
    }),
  ],
  [
    'drops a span whose parent is not there',
    'takes children before their parents',
    writingSpans(async (spans, store) => {
      const parents = await Promise.all(spans.map(({ parentSpanId }) => store.findSpan('anyone', parentSpanId ?? '')));
      return spans.filter(({ parentSpanId }, index) => parentSpanId === null || parents[index] !== undefined);
    }),
  ],
  [
    'tells the spans of a trace by their ids',
    order,
    (store) => ({
      findTrace: async (owner, id) =>
        (await store.findTrace(owner, id)).toSorted((one, other) => (one.spanId < other.spanId ? -1 : 1)),
    }),
  ],
  [
    'tells spans of one moment by their ids',
    order,
    (store) => ({
      findTrace: async (owner, id) =>
        (await store.findTrace(owner, id)).toSorted(
          (one, other) => one.startTime - other.startTime || (one.spanId < other.spanId ? -1 : 1),
        ),
    }),
  ],
  [
    'counts a trace for each span',
    'counts traces, spans and logs, and nothing when nothing is written',
    (store) => ({
      counts: async () => {
        const counts = await store.counts();
        return { ...counts, traces: counts.spans };
      },
    }),
  ],
  [
    'takes no more than a thousand spans at once',
    'takes thousands of spans and logs in one batch',
    writingSpans((spans) => spans.slice(0, 1_000)),
  ],
  [
    'forgets the traces of a user only',
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
    'tells how many spans of a user it forgot',
    forgets,
    (store) => ({
      deleteUser: async (userId) => {
        const { spans } = await store.counts();
        await store.deleteUser(userId);
        return spans - (await store.counts()).spans;
      },
    }),
  ],
  ['forgets what began at the time too', purges, (store) => ({ purge: (before) => store.purge(before + 1) })],
  ['forgets nothing by its age', purges, () => ({ purge: async () => 0 })],
  [
    'finds traces by ids in any case',
    unknown,
    (store) => ({ findTrace: (owner, id) => store.findTrace(owner, id.toLowerCase()) }),
  ],
  [
    'finds logs without a trace by an empty id',
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
    'has an empty message where none is',
    wholeSpan,
    writingSpans((spans) => spans.map((span) => ({ ...span, status: { message: '', ...span.status } }))),
  ],
  [
    'loses what a database refuses',
    anyText,
    writingSpans((spans) => spans.map((span) => ({ ...span, name: span.name.replaceAll('\0', '') }))),
  ],
  [
    'cuts long texts',
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
    'keeps texts only of the attributes of logs',
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
    'has an empty id of a trace where none is',
    wholeLog,
    writingLogs((logs) => logs.map((log) => ({ ...log, traceId: log.traceId ?? '' }))),
  ],
];
