import type { LogRecord, SpanRecord, TelemetryStore, TraceFilter, TraceSummary } from '@halyard/contracts';
import { type Fault, wrappersOf } from '../faults.ts';

export type TelemetryFault = Fault<TelemetryStore>;

export const { dropping, ownerless, passing, returning, setting } = wrappersOf<TelemetryStore>();

const all = { limit: 1_000, offset: 0 } as const;

/** Changes the spans that are written. */
export function writingSpans(
  change: (
    spans: readonly SpanRecord[],
    store: TelemetryStore,
  ) => Promise<readonly SpanRecord[]> | readonly SpanRecord[],
): TelemetryFault {
  return (store) => ({
    write: async ({ spans, logs }) => store.write({ spans: await change(spans, store), logs }),
  });
}

/** Changes the logs that are written. */
export function writingLogs(change: (logs: readonly LogRecord[]) => readonly LogRecord[]): TelemetryFault {
  return passing('write', ({ spans, logs }) => [{ spans, logs: change(logs) }]);
}

/** Changes the summaries of traces. @param change gets each summary with the spans of the trace. */
export function summing(
  change: (trace: TraceSummary, spans: readonly SpanRecord[]) => TraceSummary | undefined,
): TelemetryFault {
  return (store) => ({
    listTraces: async (owner, filter) => {
      const { traces, total } = await store.listTraces(owner, filter);
      const changed: TraceSummary[] = [];
      for (const trace of traces) {
        const one = change(trace, await store.findTrace(owner, trace.traceId));
        if (one !== undefined) changed.push(one);
      }
      return { traces: changed, total: total - traces.length + changed.length };
    },
  });
}

/** Changes the list of traces. @param change gets all matching traces. */
export function listing(
  change: (traces: readonly TraceSummary[], filter: TraceFilter) => readonly TraceSummary[],
): TelemetryFault {
  return (store) => ({
    listTraces: async (owner, filter) => {
      const { traces } = await store.listTraces(owner, { ...filter, ...all });
      const changed = change(traces, filter);
      return { traces: changed.slice(filter.offset, filter.offset + filter.limit), total: changed.length };
    },
  });
}

/** Changes the list of spans. */
export function listingSpans(change: (spans: readonly SpanRecord[]) => readonly SpanRecord[]): TelemetryFault {
  return (store) => ({
    listSpans: async (owner, filter) => {
      const { spans } = await store.listSpans(owner, { ...filter, ...all });
      const changed = change(spans);
      return { spans: changed.slice(filter.offset, filter.offset + filter.limit), total: changed.length };
    },
  });
}

/** Changes the list of logs. */
export function listingLogs(
  change: (logs: readonly LogRecord[], filter: Parameters<TelemetryStore['listLogs']>[1]) => readonly LogRecord[],
): TelemetryFault {
  return (store) => ({
    listLogs: async (owner, filter) => {
      const { logs } = await store.listLogs(owner, { ...filter, ...all });
      const changed = change(logs, filter);
      return { logs: changed.slice(filter.offset, filter.offset + filter.limit), total: changed.length };
    },
  });
}
