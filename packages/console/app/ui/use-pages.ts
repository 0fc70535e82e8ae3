import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total?: number | undefined;
  readonly hasMore: boolean;
}

export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/**
 * Reads a list page by page. While another filter loads, the rows of the previous one stay.
 *
 * @param read reads one page: `offset` is the number of rows on the pages before it.
 */
export function usePages<Row>(
  key: QueryKey,
  read: (offset: number, signal: AbortSignal) => Promise<Page<Row>>,
): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.hasMore ? pages.reduce((count, { rows }) => count + rows.length, 0) : undefined,
    placeholderData: keepPreviousData,
  });
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return {
    rows,
    total: data?.pages[0]?.total,
    error,
    isLoading: isPending,
    isLoadingMore: isFetchingNextPage,
    loadMore,
    reload: () => void refetch(),
  };
}
