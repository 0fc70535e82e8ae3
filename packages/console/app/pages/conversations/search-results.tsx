import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Ago } from '../../ui/time.tsx';
import { searchMessages, type SearchResult } from './memory-api.ts';
import styles from './conversations.module.css';

const limit = 50;

/** The messages that are nearest in meaning, with their scores. */
export function SearchResults({
  query,
  agentId,
  userId,
}: {
  readonly query: string;
  readonly agentId: string | undefined;
  readonly userId: string | undefined;
}): ReactNode {
  const columns = useMemo(() => createColumns(agentId), [agentId]);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['conversations', 'search', { query, agentId, userId }],
    queryFn: ({ signal }) =>
      searchMessages(
        {
          searchQuery: query,
          limit,
          ...(agentId !== undefined && { agentId }),
          ...(userId !== undefined && { userId }),
        },
        signal,
      ),
  });
  if (error instanceof ApiError && error.code === 'SEARCH_NOT_CONFIGURED') {
    return (
      <EmptyState title="This memory cannot be searched" snippet={withVectors}>
        Search needs an embedding model and a vector store:
      </EmptyState>
    );
  }
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading what="the nearest messages" />;
  if (data.results.length === 0) return <EmptyState title="No message comes near">Try other words.</EmptyState>;
  return (
    <DataTable
      label="Messages by score"
      columns={columns}
      rows={data.results}
      rowKey={({ conversationId, messageId }) => `${conversationId} ${messageId}`}
    />
  );
}

function createColumns(agentId: string | undefined): readonly Column<SearchResult>[] {
  return [
    {
      name: 'Message',
      width: 'minmax(12rem, 4fr)',
      cell: ({ conversationId, messageId, text }) => (
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId }}
          search={{ message: messageId, ...(agentId !== undefined && { agentId }) }}
          title={text.slice(0, 500)}
        >
          {text}
        </Link>
      ),
    },
    {
      name: 'Score',
      width: '7rem',
      isNumber: true,
      cell: ({ score }) => (
        <span className={styles.score}>
          <span className={styles.gauge} aria-hidden="true">
            <span style={{ width: `${Math.round(score * 100)}%` }} />
          </span>
          {score.toFixed(2)}
        </span>
      ),
    },
    { name: 'Role', width: '5rem', isSecondary: true, cell: ({ role }) => role },
    {
      name: 'Conversation',
      width: 'minmax(6rem, 1fr)',
      isSecondary: true,
      cell: ({ conversationId }) => <code>{conversationId}</code>,
    },
    { name: 'Written', width: '5.5rem', isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ];
}

const withVectors = `createMemory({
  storage,
  embedding: openai.embedding('text-embedding-3-small'),
  vectors,
});`;
