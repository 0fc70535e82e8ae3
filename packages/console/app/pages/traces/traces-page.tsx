import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveList } from '../../live/use-live-queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterSelect, FilterText, SearchField, TimeSelect } from '../../ui/filters.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf, toSince } from '../../ui/search-params.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { TalkTo } from '../agents/talk-to.tsx';
import { spanPreview } from './recorded-content.ts';
import { nameOf, type Span } from './span-rows.ts';

type TraceSummary = components['schemas']['TraceSummary'];

const route = getRouteApi('/traces');
const pageSize = 100;
const statuses = ['running', 'ok', 'error', 'aborted', 'refused'] as const;
const kinds = ['agent', 'workflow', 'tool'] as const;
const traceIdForm = /^[0-9a-f]{32}$/;

const columns: readonly Column<TraceSummary>[] = [
  {
    name: 'Run',
    width: 'minmax(8rem, 2fr)',
    cell: ({ rootSpan, traceId }) => (
      <Link to="/traces/$traceId" params={{ traceId }}>
        {nameOf(rootSpan)}
      </Link>
    ),
  },
  { name: 'Status', width: '5.5rem', cell: ({ status }) => <StateMark state={status} /> },
  {
    name: 'Input, or reason of the failure',
    width: 'minmax(8rem, 3fr)',
    below: 'narrow',
    cell: ({ failure, rootSpan }) =>
      failure === undefined ? (
        <span dir="auto">{spanPreview(rootSpan) ?? '–'}</span>
      ) : (
        <span title={failure.message}>{failure.message}</span>
      ),
  },
  { name: 'User', width: 'minmax(5rem, 1fr)', isSecondary: true, cell: ({ rootSpan }) => readUser(rootSpan) ?? '–' },
  {
    name: 'Spans',
    width: '4.5rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ spanCount }) => formatCount(spanCount),
  },
  {
    name: 'Duration',
    width: '6rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
  },
  { name: 'Started', width: '5.5rem', isNumber: true, cell: ({ startTime }) => <Ago time={startTime} /> },
];

function readUser({ attributes }: Span): string | undefined {
  const id = attributes['user.id'];
  return typeof id === 'string' ? id : undefined;
}

/** The traces of the server, newest first, live. */
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
          <SearchField label="Name, input, output, id" value={q} onChange={find} />
          {entityId !== undefined && (
            <FilterText label="Of" value={entityId} onChange={(next) => change({ entityId: next })} />
          )}
          <FilterText label="User" value={userId} onChange={(next) => change({ userId: next })} />
          <TimeSelect value={range} onChange={(next) => change({ range: next })} />
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
            ? q === undefined
              ? 'Widen the time or clear a filter.'
              : 'A search covers what the newest 2,000 runs that match the filters were given and answered. Choose an earlier time, or clear a filter.'
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
