import { type SpanFilter, type SpanRecord, toMeasurement, toTraceStatus } from '@halyard/contracts';

/** Whether a span matches the filters, which are combined with AND. */
export function matchesSpan(filter: SpanFilter): (span: SpanRecord) => boolean {
  const { entityId, entityType, from = -Infinity, isEntry, model, status, to = Infinity, userId } = filter;
  const traceIds = filter.traceIds && new Set(filter.traceIds);
  return (span) => {
    const { attributes, startTime, traceId } = span;
    if (entityId !== undefined && attributes['entity.id'] !== entityId) return false;
    if (entityType !== undefined && attributes['entity.type'] !== entityType) return false;
    if (userId !== undefined && attributes['user.id'] !== userId) return false;
    if (isEntry === true && !span.isEntry) return false;
    if (startTime < from || startTime > to) return false;
    if (traceIds?.has(traceId) === false) return false;
    if (status !== undefined && !hasStatus(span, status)) return false;
    return model === undefined || toMeasurement(span)?.model === model;
  };
}

function hasStatus(span: SpanRecord, status: NonNullable<SpanFilter['status']>): boolean {
  const own = toTraceStatus(span);
  return status === 'ended' ? own !== 'running' : own === status;
}
