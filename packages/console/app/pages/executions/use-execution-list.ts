import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveMessages } from '../../live/live.ts';
import { type ExecutionSearch, toFilter, toQuery } from './execution-filter.ts';
import { type ListPage as PageOf, mergePage } from './merge-page.ts';
import { listExecutions } from './read-execution.ts';

export type ExecutionRecord = components['schemas']['ExecutionRecord'];
type ListPage = PageOf<ExecutionRecord>;

const pageSize = 200;
const refreshMs = 2_000;
/**
 * The live channel tells what happens on this server only: for the others the rows in view are read
 * again this often.
 */
const pollMs = 5_000;

interface ExecutionList {
  readonly rows: readonly ExecutionRecord[];
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly refresh: () => void;
  readonly setRange: (first: number, last: number) => void;
}

/**
 * The executions that match, newest first. Pages continue after the last execution, so that each
 * costs the same however long the list is. When something happens on the server, only the rows in
 * view are read again.
 */
export function useExecutionList(search: ExecutionSearch): ExecutionList {
  const client = useQueryClient();
  const hash = JSON.stringify(search);
  const key = useMemo(() => ['execution-list', hash], [hash]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(search, pageParam, pageSize, signal),
    initialPageParam: '',
    getNextPageParam: ({ hasMore, rows }) => (hasMore ? rows.at(-1)?.id : undefined),
    // Reading everything again would take as long as it took to scroll there.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);

  const visibleRows = useRef<readonly [first: number, last: number]>([0, 0]);
  const setRange = useCallback((first: number, last: number) => {
    visibleRows.current = [first, last];
  }, []);
  const reading = useRef(false);
  const refresh = useCallback(async () => {
    const known = client.getQueryData<InfiniteData<ListPage, string>>(key);
    if (known === undefined || reading.current) {
      if (known === undefined) await client.refetchQueries({ queryKey: key });
      return;
    }
    reading.current = true;
    try {
      const current = known.pages.flatMap((page) => page.rows);
      const first = Math.min(visibleRows.current[0], current.length);
      const count = Math.min(pageSize, Math.max(50, visibleRows.current[1] - first + 1));
      const after = current[first - 1]?.id ?? '';
      const page = await readPage(JSON.parse(hash) as ExecutionSearch, after, count);
      client.setQueryData<InfiniteData<ListPage, string>>(key, (now) => {
        const before = now?.pages.flatMap((each) => each.rows) ?? [];
        const hasMore = now?.pages.at(-1)?.hasMore ?? false;
        return { pages: [mergePage({ rows: before, hasMore }, page, after)], pageParams: [''] };
      });
    } catch {
      // The next message tries again; a lost connection is shown at the side.
    } finally {
      reading.current = false;
    }
  }, [client, hash, key]);

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onMessage = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      if (document.visibilityState === 'visible') void refresh();
    }, refreshMs);
  }, [refresh]);
  useLiveMessages(onMessage);
  useEffect(() => {
    // A list that was left and is opened again is shown as it was, then brought up to date.
    void refresh();
    const poll = setInterval(() => document.visibilityState === 'visible' && void refresh(), pollMs);
    return () => {
      clearInterval(poll);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [refresh]);

  return {
    rows,
    error,
    isLoading: isPending,
    isLoadingMore: isFetchingNextPage,
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    }, [fetchNextPage, hasNextPage, isFetchingNextPage]),
    refresh: useCallback(() => void refresh(), [refresh]),
    setRange,
  };
}

async function readPage(
  search: ExecutionSearch,
  after: string,
  limit: number,
  signal?: AbortSignal,
): Promise<ListPage> {
  const query = { ...toQuery(search), events: false as const, limit, ...(after !== '' && { after }) };
  return listExecutions(query, signal);
}

/** How many match: exact below 10 000. Undefined for a user, whose token opens only the list. */
export function useExecutionCount(search: ExecutionSearch): number | undefined {
  const filter = toFilter(search);
  const isAll = Object.keys(filter).length === 0;
  const isRestricted = useIsRestricted();
  const { data } = useQuery({
    queryKey: ['executions', 'count', search],
    queryFn: ({ signal }) =>
      readData(api.POST('/workflows/executions/bulk/preview', { body: isAll ? { all: true } : { filter }, signal })),
    enabled: !isRestricted,
    refetchInterval: 10_000,
  });
  return data?.matched;
}
