import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIsOwner, useIsRestricted } from '../../access/credential.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Ago } from '../../ui/time.tsx';
import { AgentName } from '../agents/agent-name.tsx';
import { AuditList } from '../audit/audit-list.tsx';
import { ConversationMessages } from './conversation-messages.tsx';
import { DeleteConversation } from './delete-dialogs.tsx';
import { readMessages, useCanDelete } from './memory-api.ts';
import { WorkingMemoryTab } from './working-memory-tab.tsx';
import styles from './conversations.module.css';

const route = getRouteApi('/conversations/$conversationId');
const tabNames = ['messages', 'memory', 'details', 'audit'] as const;
type TabName = (typeof tabNames)[number];

/** One conversation: its messages with all their parts, and its working memory. */
export function ConversationPage(): ReactNode {
  const { conversationId } = route.useParams();
  const { agentId, message, tab } = route.useSearch();
  const navigate = route.useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const canDelete = useCanDelete();
  const isRestricted = useIsRestricted();
  const isOwner = useIsOwner();
  useLiveQueries(['conversations', 'one', conversationId]);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['conversations', 'one', conversationId, 'newest', agentId],
    queryFn: ({ signal }) => readMessages(conversationId, { ...(agentId !== undefined && { agentId }) }, signal),
  });
  if (error !== null || isPending) {
    return (
      <Page title="Conversation">
        {error === null ? (
          <Loading what="the conversation" />
        ) : (
          <ErrorState
            error={error}
            onRetry={() => void refetch()}
            back={<Link to="/conversations">All conversations</Link>}
          />
        )}
      </Page>
    );
  }
  const { conversation, hasMore, messages } = data;
  const { createdAt, id, metadata, resourceId, title, updatedAt, userId } = conversation;
  const memoryOf = { conversationId: id, agentId, userId };
  const name = title === '' ? 'Untitled conversation' : title;
  const current: TabName = tabNames.find((each) => each === tab) ?? 'messages';
  return (
    <Page
      title={name}
      about={
        <>
          <Link to="/users/$userId" params={{ userId }}>
            {userId}
          </Link>{' '}
          · <AgentName id={resourceId} /> · changed <Ago time={updatedAt} />
          {!isRestricted && (
            <>
              {' '}
              ·{' '}
              <Link to="/traces" search={{ q: id, userId }}>
                traces
              </Link>
            </>
          )}
        </>
      }
      actions={
        <>
          <LinkButton
            to="/playground"
            search={{ agentId: agentId ?? resourceId, conversationId: id, userId }}
            icon="play"
          >
            Continue in the playground
          </LinkButton>
          {canDelete && (
            <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <Tabs
        label="Parts of the conversation"
        value={current}
        onChange={(next) => void navigate({ search: (search) => ({ ...search, tab: next }), replace: true })}
        tabs={[
          {
            name: 'messages',
            title: 'Messages',
            content: <ConversationMessages {...memoryOf} newest={messages} hasOlder={hasMore} highlighted={message} />,
          },
          { name: 'memory', title: 'Working memory', content: <WorkingMemoryTab {...memoryOf} /> },
          {
            name: 'details',
            title: 'Details',
            content: (
              <div className={styles.details}>
                <Facts
                  facts={{
                    Id: <code>{id}</code>,
                    User: userId,
                    Resource: resourceId,
                    Begun: formatDateTime(createdAt),
                    Changed: formatDateTime(updatedAt),
                  }}
                />
                <JsonView label="metadata" value={metadata} />
              </div>
            ),
          },
          ...(isOwner
            ? [
                {
                  name: 'audit' as const,
                  title: 'Audit',
                  content: <AuditList search={{ target: id }} empty="No operator has read or changed it" />,
                },
              ]
            : []),
        ]}
      />
      <DeleteConversation
        {...memoryOf}
        title={name}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/conversations', search: agentId === undefined ? {} : { agentId } })}
      />
    </Page>
  );
}
