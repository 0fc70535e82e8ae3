import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLiveRefresh } from '../../live/use-live-queries.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { FilterSelect, FilterText, SearchField, TimeSelect } from '../../ui/filters.tsx';
import { formatCount } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { TalkTo } from '../agents/talk-to.tsx';
import { useTraceColumns } from './trace-columns.tsx';
import { FeedbackFilter, PartFilterMenu, PartFilters, TraceOrder } from './trace-filters.tsx';
import { partFilters, traceFilters } from './trace-search.ts';
import { kinds, statuses, useTraceList } from './use-trace-list.ts';

const route = getRouteApi('/traces');
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
  const { columns, menu } = useTraceColumns(traceFilters(search));
  const isNarrow = useIsNarrow();
  const { range, status, entityType, entityId, q, userId } = search;
  const { error, isLoading, isLoadingMore, loadMore, refresh, reload, rows, setRange, total } = useTraceList(search);
  useLiveRefresh(refresh);
  const isSearch = [q, search.feedback, ...partFilters.map((name) => search[name])].some(
    (value) => value !== undefined,
  );
  const { q: _, ...others } = traceFilters(search);
  const filterCount = Object.values(others).filter((value) => value !== undefined).length;
  const filters = (
    <>
      <FilterSelect label="Status" value={status} options={statuses} onChange={(next) => change({ status: next })} />
      <FilterSelect label="Kind" value={entityType} options={kinds} onChange={(next) => change({ entityType: next })} />
      {entityId !== undefined && (
        <FilterText label="Of" value={entityId} onChange={(next) => change({ entityId: next })} />
      )}
      <FilterText label="User" value={userId} onChange={(next) => change({ userId: next })} />
      <FeedbackFilter value={search.feedback} onChange={(next) => change({ feedback: next })} />
      <TimeSelect value={range} onChange={(next) => change({ range: next })} />
      <TraceOrder value={search.sort} onChange={(next) => change({ sort: next })} />
    </>
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      title="Traces"
      about={total === undefined ? undefined : formatCount(total)}
      isFilled
      bar={
        <>
          <SearchField label="Any text, id" value={q} onChange={find} />
          {isNarrow ? (
            <Menu label={filterCount === 0 ? 'Filters' : `Filters ${filterCount}`} isMarked={filterCount > 0}>
              {filters}
              <PartFilters filters={search} onChange={change} />
            </Menu>
          ) : (
            <>
              {filters}
              <PartFilterMenu filters={search} onChange={change} />
              {menu}
            </>
          )}
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
          onRange={setRange}
        />
      )}
    </Page>
  );
}
