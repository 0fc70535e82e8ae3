import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { useLiveList } from '../../live/use-live-queries.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { FilterSelect, FilterText, SearchField, TimeSelect } from '../../ui/filters.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf, toSince } from '../../ui/search-params.ts';
import { usePages } from '../../ui/use-pages.ts';
import { TalkTo } from '../agents/talk-to.tsx';
import { useTraceColumns } from './trace-columns.tsx';
import { FeedbackFilter, PartFilterMenu, toTraceQuery, TraceOrder } from './trace-filters.tsx';
import { partFilters } from './trace-search.ts';

const route = getRouteApi('/traces');
const pageSize = 100;
const statuses = ['running', 'ok', 'error', 'aborted', 'refused'] as const;
const kinds = ['agent', 'workflow', 'tool'] as const;
const traceIdForm = /^[0-9a-f]{32}$/;

/** The traces of the server, live. */
export function TracesPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: Partial<typeof search>): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  const find = (text: string | undefined): void => {
    if (text !== undefined && traceIdForm.test(text))
      void navigate({ to: '/traces/$traceId', params: { traceId: text } });
    else change({ q: text });
  };
  const { columns, menu } = useTraceColumns();
  const { range, status, entityType, entityId, q, userId } = search;
  const { error, isLoading, isLoadingMore, loadMore, reload, rows, total } = usePages(
    ['traces', 'list', search],
    async (offset, signal) => {
      const filter = {
        status: oneOf(statuses, status),
        entityType: oneOf(kinds, entityType),
        entityId,
        userId,
        text: q,
        ...toTraceQuery(search),
      };
      const query = { ...toSince(range), ...filter, limit: pageSize, offset };
      const {
        hasMore,
        total: all,
        traces,
      } = await readData(api.GET('/observability/traces', { params: { query }, signal }));
      return { rows: traces, total: all, hasMore };
    },
  );
  useLiveList(['traces', 'list'], rows.length > pageSize);
  const isSearch = [q, search.feedback, ...partFilters.map((name) => search[name])].some(
    (value) => value !== undefined,
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      title="Traces"
      about={total === undefined ? undefined : formatCount(total)}
      isFilled
      bar={
        <>
          <FilterSelect
            label="Status"
            value={status}
            options={statuses}
            onChange={(next) => change({ status: next })}
          />
          <FilterSelect
            label="Kind"
            value={entityType}
            options={kinds}
            onChange={(next) => change({ entityType: next })}
          />
          <SearchField label="Any text, id" value={q} onChange={find} />
          {entityId !== undefined && (
            <FilterText label="Of" value={entityId} onChange={(next) => change({ entityId: next })} />
          )}
          <FilterText label="User" value={userId} onChange={(next) => change({ userId: next })} />
          <FeedbackFilter value={search.feedback} onChange={(next) => change({ feedback: next })} />
          <PartFilterMenu filters={search} onChange={change} />
          <TimeSelect value={range} onChange={(next) => change({ range: next })} />
          <TraceOrder value={search.sort} onChange={(next) => change({ sort: next })} />
          {menu}
        </>
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={reload} />
      ) : isLoading ? (
        <Loading what="the traces" />
      ) : rows.length === 0 ? (
        <EmptyState
          title={isFiltered ? 'No trace matches' : 'No run has been recorded yet'}
          {...(!isFiltered && { action: <TalkTo /> })}
        >
          {isFiltered
            ? isSearch
              ? 'A search covers the newest 2,000 runs that match status, kind, user and time. Choose an earlier time, or clear a filter.'
              : 'Widen the time or clear a filter.'
            : 'Each call of an agent, a workflow or a tool becomes a trace.'}
        </EmptyState>
      ) : (
        <DataTable
          label="Traces"
          columns={columns}
          rows={rows}
          rowKey={({ traceId }) => traceId}
          total={total}
          onEnd={loadMore}
          isLoadingMore={isLoadingMore}
        />
      )}
    </Page>
  );
}
