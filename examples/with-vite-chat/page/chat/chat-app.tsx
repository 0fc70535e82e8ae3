import type { AgentId, Client } from '@halyard/client';
import { type ReactNode, useEffect, useState } from 'react';
import type { ChatLook } from './chat-look.ts';
import { ChatView } from './chat-view.tsx';
import { LogIcon, PlusIcon } from './icons.tsx';
import { keepConversation, openConversation, useOpenConversation } from './open-conversation.ts';
import { Sidebar } from './sidebar.tsx';
import { useConversations } from './use-conversations.ts';

interface ChatAppProps<App, Id extends AgentId<App>> {
  /** Create it once, outside of components. */
  readonly client: Client<App>;
  readonly agentId: Id;
  /** The user, on a server without access control. */
  readonly userId?: string;
  readonly look: ChatLook<App, Id>;
  /** Shown at the end of the list of conversations. */
  readonly footer?: ReactNode;
}

/** The list of conversations with an agent, and the open one. */
export function ChatApp<App, Id extends AgentId<App>>({
  agentId,
  client,
  footer,
  look,
  userId,
}: ChatAppProps<App, Id>): ReactNode {
  const conversationId = useOpenConversation();
  const conversations = useConversations(client, agentId, userId);
  const [isListOpen, setIsListOpen] = useState(false);
  useEffect(() => setIsListOpen(false), [conversationId]);
  const title = conversations.list?.find(({ id }) => id === conversationId)?.title;

  return (
    <div className="app">
      <Sidebar
        brand={look.brand}
        conversations={conversations}
        footer={footer}
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
          {look.tools}
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
            agentId={agentId}
            client={client}
            conversationId={conversationId === '' ? undefined : conversationId}
            look={look}
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
