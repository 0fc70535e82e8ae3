import type { LogRecord, SpanRecord, TelemetryStore, TraceFilter, TraceSummary } from '@halyard/contracts';

/** The fault of a store, the case that must find it, and its implementation. */
export type TelemetryFault = readonly [
  fault: string,
  foundBy: string,
  (store: TelemetryStore) => Partial<TelemetryStore>,
];

const all = { limit: 1_000, offset: 0 } as const;

/** Changes the spans that are written. */
export function writingSpans(
  change: (
    spans: readonly SpanRecord[],
    store: TelemetryStore,
  ) => Promise<readonly SpanRecord[]> | readonly SpanRecord[],
): TelemetryFault[2] {
  return (store) => ({
    write: async ({ spans, logs }) => store.write({ spans: await change(spans, store), logs }),
  });
}

/** Changes the logs that are written. */
export function writingLogs(change: (logs: readonly LogRecord[]) => readonly LogRecord[]): TelemetryFault[2] {
  return (store) => ({ write: async ({ spans, logs }) => store.write({ spans, logs: change(logs) }) });
}

/** Changes the summaries of traces. @param change gets each summary with the spans of the trace. */
export function summing(
  change: (trace: TraceSummary, spans: readonly SpanRecord[]) => TraceSummary | undefined,
): TelemetryFault[2] {
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
): TelemetryFault[2] {
  return (store) => ({
    listTraces: async (owner, filter) => {
      const { traces } = await store.listTraces(owner, { ...filter, ...all });
      const changed = change(traces, filter);
      return { traces: changed.slice(filter.offset, filter.offset + filter.limit), total: changed.length };
    },
  });
}

/** Changes the filter of traces. */
export function filteringTraces(change: (filter: TraceFilter) => TraceFilter): TelemetryFault[2] {
  return (store) => ({ listTraces: (owner, filter) => store.listTraces(owner, change(filter)) });
}

/** Changes the filter of runs. */
export function filteringRuns(
  change: (filter: Parameters<TelemetryStore['listRuns']>[1]) => Parameters<TelemetryStore['listRuns']>[1],
): TelemetryFault[2] {
  return (store) => ({ listRuns: (owner, filter) => store.listRuns(owner, change(filter)) });
}

/** Changes the list of runs. */
export function listingRuns(change: (runs: readonly SpanRecord[]) => readonly SpanRecord[]): TelemetryFault[2] {
  return (store) => ({
    listRuns: async (owner, filter) => {
      const { runs } = await store.listRuns(owner, { ...filter, ...all });
      const changed = change(runs);
      return { runs: changed.slice(filter.offset, filter.offset + filter.limit), total: changed.length };
    },
  });
}

/** Changes the filter of logs. */
export function filteringLogs(
  change: (filter: Parameters<TelemetryStore['listLogs']>[1]) => Parameters<TelemetryStore['listLogs']>[1],
): TelemetryFault[2] {
  return (store) => ({ listLogs: (owner, filter) => store.listLogs(owner, change(filter)) });
}

/** Changes the list of logs. */
export function listingLogs(
  change: (logs: readonly LogRecord[], filter: Parameters<TelemetryStore['listLogs']>[1]) => readonly LogRecord[],
): TelemetryFault[2] {
  return (store) => ({
    listLogs: async (owner, filter) => {
      const { logs } = await store.listLogs(owner, { ...filter, ...all });
      const changed = change(logs, filter);
      return { logs: changed.slice(filter.offset, filter.offset + filter.limit), total: changed.length };
    },
  });
}
