import { listSearch, type TimeRange, timeSearch } from '../../ui/search-params.ts';

/** The parameters of the list of traces that look into all spans of a trace. */
export const partFilters = ['agentId', 'toolName', 'model', 'minSeconds', 'minTokens', 'minCost'] as const;

const filters = ['status', 'entityType', 'entityId', 'userId', 'q', 'sort', 'feedback', ...partFilters] as const;

/** The state of the list of traces. A trace that is opened from it keeps it, to lead to the next one. */
export interface TraceFilters extends Partial<Record<(typeof filters)[number], string>> {
  readonly range?: TimeRange | undefined;
}

export function traceFilters(search: Record<string, unknown>): TraceFilters {
  return { ...listSearch(search, filters), ...timeSearch(search) };
}
