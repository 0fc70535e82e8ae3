import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { useLiveRefresh } from '../../live/use-live-queries.ts';
import { causeOf } from '../../ui/cause-of.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterSelect, FilterText } from '../../ui/filters.tsx';
import { formatCosts, formatCount, formatDateTime, formatDuration } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search-params.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { nameOf, type Span, stateOf, totalCosts, wordFor } from './span-rows.ts';

const route = getRouteApi('/runs');
const pageSize = 100;
const statuses = ['ended', 'running', 'ok', 'error', 'aborted', 'refused'] as const;
const kinds = ['agent', 'workflow', 'tool'] as const;

const costColumn: Column<Span> = { name: 'Cost', width: '6rem', isNumber: true, isSecondary: true, cell: readCost };
const columns: readonly Column<Span>[] = [
  {
    name: 'Run',
    width: 'minmax(8rem, 1.5fr)',
    cell: (span) => (
      <Link to="/traces/$traceId" params={{ traceId: span.traceId }} search={{ span: span.spanId }}>
        {nameOf(span)}
      </Link>
    ),
  },
  {
    name: 'Status',
    width: '5.5rem',
    cell: (span) => <StateMark state={stateOf(span)} word={wordFor(stateOf(span), span.attributes['error.type'])} />,
  },
  {
    name: 'Reason of a failure',
    width: 'minmax(8rem, 3fr)',
    below: 'narrow',
    cell: ({ status: { message } }) => (
      <span title={message} dir="auto">
        {message === undefined ? '–' : causeOf(message)}
      </span>
    ),
  },
  { name: 'Tokens', width: '7rem', isNumber: true, isSecondary: true, cell: readTokens },
  costColumn,
  {
    name: 'Duration',
    width: '6rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
  },
  { name: 'Started', width: '5.5rem', isNumber: true, cell: ({ startTime }) => <Ago time={startTime} /> },
];

/**
 * The runs of an agent, a workflow or a tool, the calls of a model, or the requests of a user: those
 * that a number of the overview counts.
 */
export function RunsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: Partial<typeof search>): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  const { entityId, entityType, entry, from, model, status, to, userId } = search;
  const { error, isLoading, isLoadingMore, loadMore, refresh, reload, rows, setRange, total } = usePages(
    ['runs', 'list', search],
    async (offset, signal) => {
      const query = {
        entityId,
        entityType: oneOf(kinds, entityType),
        model,
        userId,
        from,
        to,
        ...(entry !== undefined && { entry: true as const }),
        status: oneOf(statuses, status),
        limit: pageSize,
        offset,
      };
      const {
        hasMore,
        spans,
        total: all,
      } = await readData(api.GET('/observability/spans', { params: { query }, signal }));
      return { rows: spans, total: all, hasMore };
    },
    ({ spanId, traceId }) => `${traceId} ${spanId}`,
  );
  useLiveRefresh(refresh);
  return (
    <Page
      title={toTitle(search)}
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
          {model !== undefined && (
            <FilterText label="Model" value={model} onChange={(next) => change({ model: next })} />
          )}
          {entityId !== undefined && (
            <FilterText label="Of" value={entityId} onChange={(next) => change({ entityId: next })} />
          )}
          <FilterText label="User" value={userId} onChange={(next) => change({ userId: next })} />
          {(from !== undefined || to !== undefined) && (
            <span>
              {from !== undefined && `from ${formatDateTime(from)} `}
              {to !== undefined && `to ${formatDateTime(to)}`}
            </span>
          )}
        </>
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={reload} />
      ) : isLoading ? (
        <Loading what="the runs" />
      ) : rows.length === 0 ? (
        <EmptyState title="No run matches">
          Clear a filter, or see <Link to="/traces">all traces</Link>.
        </EmptyState>
      ) : (
        <DataTable
          label="Runs"
          // Only calls of models have a cost of their own.
          columns={model === undefined ? columns.filter((column) => column !== costColumn) : columns}
          rows={rows}
          rowKey={({ spanId }) => spanId}
          total={total}
          onEnd={loadMore}
          isLoadingMore={isLoadingMore}
          onRange={setRange}
        />
      )}
    </Page>
  );
}

function toTitle({ entityId, model, userId }: { entityId?: string; model?: string; userId?: string }): string {
  if (model !== undefined) return `Calls of ${model}`;
  if (entityId !== undefined) return `Runs of ${entityId}`;
  return userId === undefined ? 'Runs' : `Requests of ${userId}`;
}

function readTokens({ attributes }: Span): string {
  const [input, output] = [attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']];
  return typeof input === 'number' && typeof output === 'number'
    ? `${formatCount(input)} → ${formatCount(output)}`
    : '–';
}

function readCost(span: Span): string {
  const costs = totalCosts([span]);
  return costs === undefined ? '–' : formatCosts(costs);
}
