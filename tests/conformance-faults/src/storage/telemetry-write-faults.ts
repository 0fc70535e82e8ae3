import type { SpanRecord } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import { passing, returning, type TelemetryFault, writingLogs, writingSpans } from './telemetry-fault.ts';

/** Faults of writing, storing and deleting. */
export const telemetryWriteFaults: FaultTable<TelemetryFault> = {
  'returns the attributes that a span computes, and prefers those that it was given': writingSpans((spans) =>
    spans.map(({ describe: _, ...span }) => span),
  ),
  'replaces a running span by its ended record, in either order, in one batch and in several': writingSpans((spans) =>
    spans.filter((span, index) => spans.findIndex((one) => one.spanId === span.spanId) === index),
  ),
  // Checks whether a span has ended, and writes later.
  'stores the ended record when running and ended ones are written at the same time': (store) => {
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
  'replaces a span as a whole by a later record': writingSpans(async (spans, store) => {
    const known = await Promise.all(spans.map(({ spanId }) => store.findSpan('anyone', spanId)));
    return spans.filter((_, index) => typeof known[index]?.endTime !== 'number');
  }),
  'accepts children before their parents': writingSpans(async (spans, store) => {
    const parents = await Promise.all(spans.map(({ parentSpanId }) => store.findSpan('anyone', parentSpanId ?? '')));
    return spans.filter(({ parentSpanId }, index) => parentSpanId === null || parents[index] !== undefined);
  }),
  'returns the spans of a trace by start time, those with the same start time in the order of arrival': returning(
    'findTrace',
    (result) => result.toSorted((one, other) => (one.spanId < other.spanId ? -1 : 1)),
  ),
  // Orders spans with the same start time by their last records.
  'keeps the order of spans with the same start time, and the root of a trace, when one of them ends': (store) => {
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
  'counts traces, spans and logs, and returns zeros for an empty store': returning('counts', (counts) => ({
    ...counts,
    traces: counts.spans,
  })),
  'accepts thousands of spans and logs in one batch': writingSpans((spans) => spans.slice(0, 1_000)),
  // Returns the number of deleted spans instead of traces.
  'deletes the traces and logs of one user only': (store) => ({
    deleteUser: async (userId) => {
      const { spans } = await store.counts();
      await store.deleteUser(userId);
      return spans - (await store.counts()).spans;
    },
  }),
  // Deletes whole traces of a user.
  'deletes only the spans of a user from a trace that the user shares with others': (store) => {
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
  'purges what started long before a time, and nothing that started at that time or later': () => ({
    purge: async () => 0,
  }),
  'finds nothing for unknown ids of any form': passing('findTrace', (owner, id) => [owner, id.toLowerCase()]),
  'returns all fields of a span': writingSpans((spans) =>
    spans.map((span) => ({ ...span, status: { message: '', ...span.status } })),
  ),
  'stores any text in spans, including large texts and characters that databases reject': writingSpans((spans) =>
    spans.map((span) => ({ ...span, name: span.name.replaceAll('\0', '') })),
  ),
  'returns all fields of a log with any attributes': writingLogs((logs) =>
    logs.map((log) => ({ ...log, traceId: log.traceId ?? '' })),
  ),
};
