import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { formatDateTime } from '../../ui/format.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { Ago } from '../../ui/time.tsx';
import { DeleteMessage } from './delete-dialogs.tsx';
import { readMessages, type StoredMessage, useCanChange } from './memory-api.ts';
import { MessageParts } from './message-parts.tsx';
import styles from './conversations.module.css';

interface ConversationMessagesProps {
  readonly conversationId: string;
  readonly agentId: string | undefined;
  readonly userId: string;
  /** The newest messages, oldest first. */
  readonly newest: readonly StoredMessage[];
  readonly hasOlder: boolean;
  /** The id of a message that a search has found. */
  readonly highlighted: string | undefined;
}

const olderMessages = 500;
/** A message of a line or two. Others are measured when they come into view. */
const usualHeight = 96;

/**
 * The messages in their order. Older ones are read on demand, and only those in view are in the
 * document.
 */
export function ConversationMessages({
  conversationId,
  agentId,
  userId,
  newest,
  hasOlder,
  highlighted,
}: ConversationMessagesProps): ReactNode {
  const [deleted, setDeleted] = useState<StoredMessage>();
  const canChange = useCanChange();
  const before = newest[0]?.createdAt;
  const older = useInfiniteQuery({
    queryKey: ['conversations', 'older', conversationId, agentId, before],
    queryFn: ({ pageParam, signal }) =>
      readMessages(
        conversationId,
        { ...(agentId !== undefined && { agentId }), before: pageParam, limit: olderMessages },
        signal,
      ),
    initialPageParam: before,
    getNextPageParam: (last) => (last.hasMore ? last.messages[0]?.createdAt : undefined),
    enabled: false,
  });
  const olderPages = older.data?.pages ?? [];
  const messages = [...olderPages.toReversed().flatMap((page) => page.messages), ...newest];
  const hasMore = olderPages.length === 0 ? hasOlder : older.hasNextPage;
  const { error, fetchNextPage, isFetching } = older;
  const isMissing = highlighted !== undefined && messages.every(({ id }) => id !== highlighted);
  useEffect(() => {
    if (isMissing && hasMore && !isFetching && error === null) void fetchNextPage();
  }, [isMissing, hasMore, isFetching, error, fetchNextPage]);
  const list = useRef<HTMLOListElement>(null);
  // The page scrolls, and the list begins below its tabs.
  const [top, setTop] = useState(0);
  const scroller = (): HTMLElement | null => list.current?.closest('main') ?? null;
  useLayoutEffect(() => {
    const main = scroller();
    if (list.current === null || main === null) return;
    setTop(list.current.getBoundingClientRect().top - main.getBoundingClientRect().top + main.scrollTop);
  }, [hasMore, error, messages.length]);
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: scroller,
    estimateSize: () => usualHeight,
    getItemKey: (index) => messages[index]?.id ?? index,
    overscan: 8,
    scrollMargin: top,
    // Messages that are added above do not move those in view.
    anchorTo: 'end',
  });
  const found = messages.findIndex(({ id }) => id === highlighted);
  useEffect(() => {
    if (found >= 0) virtualizer.scrollToIndex(found, { align: 'center' });
    // Only once for each message: the list may be scrolled and grow afterwards.
  }, [found >= 0, highlighted, virtualizer]);
  if (messages.length === 0)
    return <EmptyState title="This conversation has no messages">It was created empty.</EmptyState>;
  return (
    <>
      {hasMore && (
        <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
          Show older messages
        </Button>
      )}
      {error !== null && <p role="alert">{error.message}</p>}
      <ol ref={list} className={styles.messages} aria-label="Messages" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const message = messages[index];
          if (message === undefined) return null;
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={hasMore ? -1 : messages.length}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <Message
                message={message}
                isFound={message.id === highlighted}
                onDelete={canChange ? () => setDeleted(message) : undefined}
              />
            </li>
          );
        })}
      </ol>
      <DeleteMessage
        conversationId={conversationId}
        agentId={agentId}
        userId={userId}
        message={deleted}
        onClose={() => setDeleted(undefined)}
      />
    </>
  );
}

function Message({
  message,
  isFound,
  onDelete,
}: {
  readonly message: StoredMessage;
  readonly isFound: boolean;
  readonly onDelete: (() => void) | undefined;
}): ReactNode {
  const { createdAt, id, metadata, parts, role } = message;
  const isSummary = role === 'system' && hasSummary(metadata);
  return (
    <article className={classes(styles.message, styles[role], isFound && styles.found)}>
      <header>
        <h2>{isSummary ? 'summary' : role}</h2>
        <span title={formatDateTime(createdAt)}>
          <Ago time={createdAt} />
        </span>
        {onDelete && <IconButton icon="trash" label={`Delete the message ${id}`} onClick={onDelete} />}
      </header>
      {isSummary && <p className={styles.soft}>Stands for the messages before it in prompts.</p>}
      <MessageParts parts={parts} isMarkdown={role === 'assistant' || isSummary} />
    </article>
  );
}

function hasSummary(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && 'summary' in metadata;
}
