import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Message, MessageList } from '../../ui/message-list.tsx';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { readMessages } from '../conversations/memory-api.ts';
import type { Approval } from './use-approvals.ts';
import styles from './approvals.module.css';

const shownMessages = 6;

type Texts = NonNullable<Approval['conversation']>;

/**
 * The last texts before the request. An approver gets them with it; an operator reads them on
 * demand, because the audit trail records that.
 */
export function ApprovalConversation({ approval }: { readonly approval: Approval }): ReactNode {
  const { agentId, conversation, conversationId, executionId } = approval;
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['conversations', 'texts', conversationId, agentId],
    queryFn: ({ signal }) =>
      readTexts(conversationId ?? '', agentId === null || executionId !== null ? {} : { agentId }, signal),
    enabled: isOpen && conversation === undefined && conversationId !== null,
  });
  if (conversationId === null) return null;
  const texts = conversation ?? data;
  return (
    <details className={styles.conversation} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The conversation that led to it</summary>
      {texts !== undefined ? (
        <MessageList messages={texts.map(toMessage)} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="the conversation" />
      )}
    </details>
  );
}

async function readTexts(
  conversationId: string,
  query: { readonly agentId?: string },
  signal: AbortSignal,
): Promise<Texts> {
  const { messages } = await readMessages(conversationId, { ...query, limit: shownMessages }, signal);
  return messages.flatMap(({ parts, role }) => {
    const text = (parts as readonly { readonly type: string; readonly text?: string }[])
      .flatMap((part) => (part.type === 'text' ? (part.text ?? []) : []))
      .join('\n');
    return text === '' ? [] : [{ role, text }];
  });
}

function toMessage({ role, text }: Texts[number]): Message {
  return { role, parts: [{ type: 'text', content: text }] };
}
