import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { consoleClient } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { type TimeRange, toSince } from '../../ui/search-params.ts';

export type AuditRecord = components['schemas']['AuditRecord'];

export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly range?: TimeRange | undefined;
}

interface AuditPage {
  readonly records: readonly AuditRecord[];
  readonly nextCursor: string | null;
}

const pageSize = 100;
/** Each of several pages is a request. */
const severalPagesMs = 10_000;

export function useAudit(search: AuditSearch): UseInfiniteQueryResult<InfiniteData<AuditPage>> {
  const query = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam: after, signal }) =>
      consoleClient.audit.list({ ...toQuery(search), limit: pageSize, ...(after !== null && { after }), signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  useLiveQueries(['audit'], (query.data?.pages.length ?? 0) > 1 ? severalPagesMs : undefined);
  return query;
}

export function toQuery({ action, actor, range, target }: AuditSearch) {
  return {
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...(target !== undefined && { target }),
    ...toSince(range),
  };
}
