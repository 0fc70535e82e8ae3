import { type ReactNode, useEffect, useState } from 'react';
import { ChatView } from './chat-view.tsx';
import type { HarbourClient } from './harbour-client.ts';
import { LogIcon, PlusIcon } from './icons.tsx';
import { keepConversation, openConversation, useOpenConversation } from './open-conversation.ts';
import { Sidebar } from './sidebar.tsx';
import { useConversations } from './use-conversations.ts';

interface ChatAppProps {
  readonly client: HarbourClient;
  /** The user, on a server without access control. */
  readonly userId?: string;
  /** Shown at the end of the list of conversations. */
  readonly account?: ReactNode;
}

/** The list of conversations and the open one. */
export function ChatApp({ account, client, userId }: ChatAppProps): ReactNode {
  const conversationId = useOpenConversation();
  const conversations = useConversations(client, userId);
  const [isListOpen, setIsListOpen] = useState(false);
  useEffect(() => setIsListOpen(false), [conversationId]);
  const title = conversations.list?.find(({ id }) => id === conversationId)?.title;

  return (
    <div className="app">
      <Sidebar
        account={account}
        conversations={conversations}
        isOpen={isListOpen}
        openId={conversationId}
        onClose={() => setIsListOpen(false)}
      />
      <main>
        <header className="bar">
          <button
            type="button"
            className="icon only-narrow"
            aria-label="Conversations"
            aria-expanded={isListOpen}
            onClick={() => setIsListOpen(true)}
          >
            <LogIcon />
          </button>
          <h1>{title === undefined || title === '' ? 'New conversation' : title}</h1>
          <button
            type="button"
            className="icon only-narrow"
            aria-label="New conversation"
            onClick={() => openConversation()}
          >
            <PlusIcon />
          </button>
        </header>
        {conversationId !== undefined && (
          <ChatView
            client={client}
            conversationId={conversationId === '' ? undefined : conversationId}
            userId={userId}
            onAnswer={(id) => void conversations.refresh(id)}
            onSend={(id, text) => {
              keepConversation(id);
              conversations.add(id, text);
            }}
          />
        )}
      </main>
    </div>
  );
}
