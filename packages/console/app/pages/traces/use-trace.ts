import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api, dataOf } from '../../api/client.ts';
import type { Span } from './span-rows.ts';

/** The first page is small, so that a long trace shows its beginning at once. */
const firstPage = 500;
const nextPages = 2_000;

/** The spans of a trace, read page by page until all are there. What they contain is read when one is selected. */
export function useTrace(traceId: string): {
  readonly spans: readonly Span[];
  readonly isComplete: boolean;
  readonly error: Error | null;
  readonly reload: () => void;
} {
  const query = useInfiniteQuery({
    queryKey: ['traces', 'one', traceId],
    queryFn: ({ pageParam: offset, signal }) => {
      const limit = offset === 0 ? firstPage : nextPages;
      const params = { path: { traceId }, query: { offset, limit, view: 'outline' as const } };
      return dataOf(api.GET('/observability/traces/{traceId}', { params, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.hasMore ? pages.reduce((count, { spanCount }) => count + spanCount, 0) : undefined,
  });
  const { data, error, fetchNextPage, hasNextPage, isFetching, refetch } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching]);
  const spans = useMemo(() => data?.pages.flatMap((page) => page.spans) ?? [], [data]);
  return { spans, isComplete: data !== undefined && !hasNextPage, error, reload: () => void refetch() };
}
