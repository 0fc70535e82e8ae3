import type { Owner, TelemetryStore, TraceSummary } from '@halyard/contracts';
import type { TraceSummary as ListedTrace } from './schemas.ts';

/** Of these traces together. */
const mostRatings = 1_000;

/** The ratings in each trace that has some, by the ids of the traces. */
export async function countFeedback(
  store: TelemetryStore,
  owner: Owner,
  traces: readonly TraceSummary[],
): Promise<ReadonlyMap<string, NonNullable<ListedTrace['feedback']>>> {
  if (traces.length === 0) return new Map();
  const { spans } = await store.listSpans(owner, {
    entityType: 'feedback',
    traceIds: traces.map(({ traceId }) => traceId),
    from: Math.min(...traces.map(({ startTime }) => startTime)),
    limit: mostRatings,
    offset: 0,
  });
  const counts = new Map<string, { up: number; down: number }>();
  for (const { attributes, traceId } of spans) {
    const rating = attributes['entity.id'];
    if (rating !== 'up' && rating !== 'down') continue;
    const { down, up } = counts.get(traceId) ?? { up: 0, down: 0 };
    counts.set(traceId, rating === 'up' ? { up: up + 1, down } : { up, down: down + 1 });
  }
  return counts;
}
