import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { pagesInView, uniqueRows } from './pages-in-view.ts';

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
  /** Reads the pages in view again, however many are loaded: for `useLiveRefresh`. */
  readonly refresh: () => Promise<void>;
  /** For the table: the first and the last row in view. */
  readonly setRange: (first: number, last: number) => void;
}

const patienceMs = 30_000;

/**
 * Reads a list page by page. While another filter loads, the rows of the previous one stay.
 *
 * @param read reads one page: `offset` is the number of rows on the pages before it.
 * @param keyOf tells rows apart: a new row moves the others, which then are on two pages.
 */
export function usePages<Row>(
  key: QueryKey,
  read: (offset: number, signal: AbortSignal) => Promise<Page<Row>>,
  keyOf: (row: Row) => string,
): Pages<Row> {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.hasMore ? pages.reduce((count, { rows }) => count + rows.length, 0) : undefined,
    placeholderData: keepPreviousData,
  });
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = query;
  const latest = useRef({ keyOf, read });
  latest.current = { keyOf, read };
  const rows = useMemo(() => uniqueRows(data?.pages ?? [], latest.current.keyOf), [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);

  const isReading = useRef(false);
  const inView = useRef<readonly [first: number, last: number]>([0, 0]);
  const hash = JSON.stringify(key);
  const refresh = useCallback(async () => {
    const queryKey = JSON.parse(hash) as QueryKey;
    const known = client.getQueryData<InfiniteData<Page<Row>, number>>(queryKey);
    // The whole list is one request.
    if (known === undefined || known.pages.length === 1) {
      await client.invalidateQueries({ queryKey });
      return;
    }
    if (isReading.current) return;
    isReading.current = true;
    try {
      for (const index of pagesInView(known.pages, inView.current)) {
        const page = await latest.current.read(known.pageParams[index] ?? 0, AbortSignal.timeout(patienceMs));
        client.setQueryData<InfiniteData<Page<Row>, number>>(
          queryKey,
          (now) => now && { ...now, pages: now.pages.map((each, place) => (place === index ? page : each)) },
        );
      }
    } catch {
      // The next change reads again; a lost connection is shown at the side.
    } finally {
      isReading.current = false;
    }
  }, [client, hash]);
  return {
    rows,
    total: data?.pages[0]?.total,
    error,
    isLoading: isPending,
    isLoadingMore: isFetchingNextPage,
    loadMore,
    reload: () => void refetch(),
    refresh,
    setRange: useCallback((first: number, last: number) => {
      inView.current = [first, last];
    }, []),
  };
}
