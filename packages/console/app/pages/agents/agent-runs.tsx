import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { useLiveRefresh } from '../../live/use-live-queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { messagesOf, questionIn } from '../traces/recorded-content.ts';
import { wordFor } from '../traces/span-rows.ts';
import type { AgentRun } from './agents-query.ts';

const pageSize = 50;

const columns: readonly Column<AgentRun>[] = [
  {
    name: 'Input',
    width: 'minmax(8rem, 3fr)',
    cell: (run) => (
      <Link to="/traces/$traceId" params={{ traceId: run.traceId }}>
        {readQuestion(run)}
      </Link>
    ),
  },
  {
    name: 'Status',
    width: '6.5rem',
    cell: ({ errorType, status }) => <StateMark state={status} word={wordFor(status, errorType)} />,
  },
  { name: 'As', width: '6.5rem', isSecondary: true, cell: ({ operation }) => operation },
  { name: 'User', width: 'minmax(5rem, 1fr)', isSecondary: true, cell: ({ userId }) => userId ?? '–' },
  {
    name: 'Tokens',
    width: '4.5rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ usage }) => formatCount(usage.totalTokens),
  },
  { name: 'Duration', width: '5.5rem', isNumber: true, isSecondary: true, cell: toDuration },
  { name: 'Started', width: '5.5rem', isNumber: true, cell: ({ startedAt }) => <Ago time={startedAt} /> },
];

/** The recorded runs of an agent, newest first, live. Each links its trace. */
export function AgentRuns({ agentId }: { readonly agentId: string }): ReactNode {
  const { error, isLoading, isLoadingMore, loadMore, refresh, reload, rows, setRange, total } = usePages(
    ['agents', 'runs', agentId, 'list'],
    async (offset, signal) => {
      const params = { path: { id: agentId }, query: { limit: pageSize, page: Math.floor(offset / pageSize) } };
      const { entries, total: all } = await readData(api.GET('/agents/{id}/history', { params, signal }));
      return { rows: entries, total: all, hasMore: entries.length === pageSize && offset + pageSize < all };
    },
    keyOf,
  );
  useLiveRefresh(refresh);
  if (error !== null) return <ErrorState error={error} onRetry={reload} />;
  if (isLoading) return <Loading what="the runs" />;
  if (rows.length === 0) {
    return (
      <EmptyState
        title="This agent has not run yet"
        action={
          <LinkButton to="/playground" search={{ agentId }} look="main" icon="play">
            Talk to it
          </LinkButton>
        }
      >
        Its runs appear here.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Runs"
      columns={columns}
      rows={rows}
      rowKey={keyOf}
      total={total}
      onEnd={loadMore}
      isLoadingMore={isLoadingMore}
      onRange={setRange}
    />
  );
}

function keyOf({ id, startedAt }: AgentRun): string {
  return `${id} ${startedAt}`;
}

/** The question: the last text of a user among the recorded messages. */
function readQuestion({ input, operation }: AgentRun): string {
  return questionIn(messagesOf(input)) ?? operation;
}

function toDuration({ endedAt, startedAt }: AgentRun): string {
  return endedAt === null ? '–' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
}
