import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { useLiveRefresh } from '../../live/use-live-queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatCount, formatDateTime, shortId } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Ago } from '../../ui/time.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { TalkTo } from '../agents/talk-to.tsx';
import type { Conversation } from './memory-api.ts';
import { type ConversationSearch, useConversations } from './use-conversations.ts';
import styles from './conversations.module.css';

/** @param onUser shows the conversations of one user only; absent: all are of one user. */
export function ConversationList({
  search,
  onUser,
}: {
  readonly search: ConversationSearch;
  readonly onUser?: ((userId: string) => void) | undefined;
}): ReactNode {
  const { agentId, userId } = search;
  const columns = useMemo(() => createColumns(agentId, onUser), [agentId, onUser]);
  const { error, isLoading, isLoadingMore, loadMore, refresh, reload, rows, setRange, total } =
    useConversations(search);
  useLiveRefresh(refresh);
  if (error instanceof ApiError && error.code === 'MEMORY_NOT_CONFIGURED') {
    return agentId === undefined && error.message.includes('agentId') ? (
      <EmptyState title="Choose an agent">Several agents have a memory of their own: choose one above.</EmptyState>
    ) : (
      <EmptyState title="No agent remembers" snippet={withMemory}>
        Conversations are stored by agents with a memory:
      </EmptyState>
    );
  }
  if (error !== null) return <ErrorState error={error} onRetry={reload} />;
  if (isLoading) return <Loading what="the conversations" />;
  if (rows.length === 0) {
    return userId === undefined && agentId === undefined ? (
      <EmptyState title="No conversation is stored yet" action={<TalkTo />}>
        A conversation begins when an agent with a memory is called with a user and a conversation.
      </EmptyState>
    ) : (
      <EmptyState title="No conversation matches">Clear a filter to see the others.</EmptyState>
    );
  }
  return (
    <DataTable
      label="Conversations"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      total={total}
      onEnd={loadMore}
      isLoadingMore={isLoadingMore}
      onRange={setRange}
    />
  );
}

/** How many there are, for the title of the page. */
export function ConversationTotal({ search }: { readonly search: ConversationSearch }): ReactNode {
  const { total } = useConversations(search);
  return total === undefined ? null : formatCount(total);
}

function createColumns(
  agentId: string | undefined,
  onUser: ((userId: string) => void) | undefined,
): readonly Column<Conversation>[] {
  return [
    {
      name: 'Title',
      width: 'minmax(10rem, 2.5fr)',
      cell: ({ id, title }) => (
        <Link
          to="/conversations/$conversationId"
          params={{ conversationId: id }}
          search={agentId === undefined ? {} : { agentId }}
          title={title === '' ? id : title}
          dir="auto"
        >
          {title === '' ? <code>{shortId(id)}</code> : title}
        </Link>
      ),
    },
    ...(onUser === undefined
      ? []
      : [
          {
            name: 'User',
            width: 'minmax(6rem, 1fr)',
            cell: ({ userId }: Conversation) => (
              <button type="button" className={styles.owner} title={`Only ${userId}`} onClick={() => onUser(userId)}>
                {userId}
              </button>
            ),
          },
        ]),
    {
      name: 'Agent',
      width: 'minmax(6rem, 1fr)',
      isSecondary: true,
      cell: ({ resourceId }) => <AgentName id={resourceId} />,
    },
    {
      name: 'Begun',
      width: '11rem',
      isNumber: true,
      isSecondary: true,
      cell: ({ createdAt }) => formatDateTime(createdAt),
    },
    { name: 'Changed', width: '5.5rem', isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
  ];
}

const withMemory = `new Agent({
  id: 'assistant',
  memory: createMemory({ storage }),
  // …
});`;
