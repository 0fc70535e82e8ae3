import type { Owner, SpanRecord, TelemetryStore, TraceSummary } from '@halyard/contracts';
import { findFailures, readMessage } from './group-failures.ts';
import type { TraceSummary as ListedTrace } from './schemas.ts';

/** Of these traces together: a trace may have any number of failed spans. */
const mostSpans = 1_000;

/** The first failure of each trace that has failed, by the ids of the traces. */
export async function findFirstFailures(
  store: TelemetryStore,
  owner: Owner,
  traces: readonly TraceSummary[],
): Promise<ReadonlyMap<string, NonNullable<ListedTrace['failure']>>> {
  const failed = traces.filter(({ status }) => status === 'error');
  if (failed.length === 0) return new Map();
  const filter = {
    status: 'error',
    traceIds: failed.map(({ traceId }) => traceId),
    from: Math.min(...failed.map(({ startTime }) => startTime)),
    limit: mostSpans,
    offset: 0,
  } as const;
  const { spans } = await store.listSpans(owner, filter);
  return new Map(findFailures(spans).map(({ origin }) => [origin.traceId, describeFailure(origin)]));
}

function describeFailure(origin: SpanRecord): NonNullable<ListedTrace['failure']> {
  return { message: readMessage(origin), spanId: origin.spanId };
}
