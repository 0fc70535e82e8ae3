import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Span } from './span-rows.ts';
import { traceQuery } from './trace-query.ts';

/**
 * The spans of a trace, read page by page until all are there. What they contain is read when one
 * is selected.
 */
export function useTrace(traceId: string): {
  readonly spans: readonly Span[];
  readonly isComplete: boolean;
  readonly error: Error | null;
  readonly reload: () => void;
} {
  const { data, error, fetchNextPage, hasNextPage, isFetching, refetch } = useInfiniteQuery(traceQuery(traceId));
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching]);
  const spans = useMemo(() => data?.pages.flatMap((page) => page.spans) ?? [], [data]);
  return { spans, isComplete: data !== undefined && !hasNextPage, error, reload: () => void refetch() };
}
