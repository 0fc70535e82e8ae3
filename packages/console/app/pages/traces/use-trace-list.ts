import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { oneOf, toSince } from '../../ui/search-params.ts';
import { type Pages, usePages } from '../../ui/use-pages.ts';
import { toTraceQuery } from './trace-filters.tsx';
import { type TraceFilters, traceFilters } from './trace-search.ts';

const pageSize = 50;
export const statuses = ['running', 'ok', 'error', 'aborted', 'refused'] as const;
export const kinds = ['agent', 'workflow', 'tool'] as const;

/** The traces that match. Components that ask for the same read them once. */
export function useTraceList(search: TraceFilters): Pages<components['schemas']['TraceSummary']> {
  // The router keeps parameters of other pages.
  const filters = traceFilters({ ...search });
  return usePages(
    ['traces', 'list', filters],
    async (offset, signal) => {
      const { entityId, entityType, q, range, status, userId } = filters;
      const query = {
        ...toSince(range),
        status: oneOf(statuses, status),
        entityType: oneOf(kinds, entityType),
        entityId,
        userId,
        text: q,
        ...toTraceQuery(filters),
        limit: pageSize,
        offset,
      };
      const page = await readData(api.GET('/observability/traces', { params: { query }, signal }));
      return { rows: page.traces, total: page.total, hasMore: page.hasMore };
    },
    ({ traceId }) => traceId,
  );
}
