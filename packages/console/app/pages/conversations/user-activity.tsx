import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveRefresh } from '../../live/use-live-queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatDuration } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { listExecutions } from '../executions/read-execution.ts';
import { nameOf, wordFor } from '../traces/span-rows.ts';

type ExecutionRecord = components['schemas']['ExecutionRecord'];
type TraceSummary = components['schemas']['TraceSummary'];

const pageSize = 100;

const executionColumns: readonly Column<ExecutionRecord>[] = [
  {
    name: 'Workflow',
    width: 'minmax(9rem, 2fr)',
    cell: ({ id, workflowId, workflowName }) => (
      <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId: id }}>
        {workflowName}
      </Link>
    ),
  },
  { name: 'Status', width: '7.5rem', cell: ({ status }) => <StateMark state={status} /> },
  { name: 'Id', width: 'minmax(8rem, 1fr)', isSecondary: true, cell: ({ id }) => <code>{id}</code> },
  { name: 'Started', width: '5.5rem', isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
];

export function UserExecutions({ userId }: { readonly userId: string }): ReactNode {
  const pages = usePages(
    ['executions', 'of user', userId],
    (offset, signal) => listExecutions({ userId, limit: pageSize, offset }, signal),
    ({ id }) => id,
  );
  return <ActivityTable pages={pages} label="Executions" columns={executionColumns} rowKey={({ id }) => id} />;
}

const traceColumns: readonly Column<TraceSummary>[] = [
  {
    name: 'Run',
    width: 'minmax(9rem, 2fr)',
    cell: ({ rootSpan, traceId }) => (
      <Link to="/traces/$traceId" params={{ traceId }}>
        {nameOf(rootSpan)}
      </Link>
    ),
  },
  {
    name: 'Status',
    width: '7.5rem',
    cell: ({ rootSpan, status }) => (
      <StateMark state={status} word={wordFor(status, rootSpan.attributes['error.type'])} />
    ),
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

export function UserTraces({ userId }: { readonly userId: string }): ReactNode {
  const pages = usePages(
    ['traces', 'of user', userId],
    async (offset, signal) => {
      const query = { userId, limit: pageSize, offset };
      const { hasMore, total, traces } = await readData(
        api.GET('/observability/traces', { params: { query }, signal }),
      );
      return { rows: traces, total, hasMore };
    },
    ({ traceId }) => traceId,
  );
  return <ActivityTable pages={pages} label="Traces" columns={traceColumns} rowKey={({ traceId }) => traceId} />;
}

function ActivityTable<Row>({
  pages: { error, isLoading, isLoadingMore, loadMore, refresh, reload, rows, setRange, total },
  label,
  columns,
  rowKey,
}: {
  readonly pages: ReturnType<typeof usePages<Row>>;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
}): ReactNode {
  useLiveRefresh(refresh);
  if (error !== null) return <ErrorState error={error} onRetry={reload} />;
  if (isLoading) return <Loading what={`the ${label.toLowerCase()}`} />;
  if (rows.length === 0)
    return <EmptyState title={`No ${label.toLowerCase()} of this user`}>New ones appear here at once.</EmptyState>;
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      total={total}
      onEnd={loadMore}
      isLoadingMore={isLoadingMore}
      onRange={setRange}
    />
  );
}
