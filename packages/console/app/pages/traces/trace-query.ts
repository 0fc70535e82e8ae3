import { infiniteQueryOptions } from '@tanstack/react-query';
import { isRestricted } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

/** The first page is small, so that a long trace shows its beginning at once. */
const firstPage = 500;
const nextPages = 2_000;

/** The spans of a trace, page by page, without what they contain. */
export const traceQuery = (traceId: string) =>
  infiniteQueryOptions({
    queryKey: ['traces', 'one', traceId],
    queryFn: ({ pageParam: offset, signal }) => {
      const limit = offset === 0 ? firstPage : nextPages;
      const params = { path: { traceId }, query: { offset, limit, view: 'outline' as const } };
      return readData(api.GET('/observability/traces/{traceId}', { params, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.hasMore ? pages.reduce((count, { spanCount }) => count + spanCount, 0) : undefined,
  });

/** Reads the first spans while the files of the page are loaded. */
export function startReadingTrace(traceId: string): void {
  const query = traceQuery(traceId);
  if (isRestricted() || queryClient.getQueryState(query.queryKey) !== undefined) return;
  // The page shows the failure.
  void queryClient.infiniteQuery(query).catch(() => undefined);
}
