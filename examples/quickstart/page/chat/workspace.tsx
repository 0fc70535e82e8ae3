import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { AgentSummary } from './agents.ts';
import type { ChatMessage } from './chat-message.ts';
import { ChatView } from './chat-view.tsx';
import { currentConversation, enterConversation, loadMessages } from './conversations.ts';
import { ErrorBanner } from './error-banner.tsx';
import { MenuIcon, PlusIcon } from './icons.tsx';
import { Sidebar } from './sidebar.tsx';
import { ThemeToggle } from './theme-toggle.tsx';
import { useConversations } from './use-conversations.ts';
import { forgetSubAgents } from './use-sub-agents.ts';

interface WorkspaceProps {
  readonly agent: AgentSummary;
  readonly agents: readonly AgentSummary[];
  readonly onSelectAgent: (id: string) => void;
}

/** The list of conversations with one agent, and the open conversation. */
export function Workspace({ agent, agents, onSelectAgent }: WorkspaceProps): ReactNode {
  const conversations = useConversations(agent.id);
  const [openId, setOpenId] = useState(() => currentConversation(agent.id));
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const stored = useStoredMessages(agent.id, openId);

  const open = (conversationId: string): void => {
    setOpenId(enterConversation(agent.id, conversationId));
    setIsMenuOpen(false);
  };
  const openNew = (): void => open(crypto.randomUUID());
  const closeMenu = (): void => {
    setIsMenuOpen(false);
    menuButton.current?.focus();
  };
  const remove = async (conversationId: string): Promise<void> => {
    if (conversationId === openId) openNew();
    forgetSubAgents(conversationId);
    await conversations.remove(conversationId);
  };
  const isListed = conversations.list?.some(({ id }) => id === openId) === true;

  return (
    <div className="workspace">
      <Sidebar
        conversations={conversations}
        openId={openId}
        isDrawerOpen={isMenuOpen}
        onOpen={open}
        onNew={openNew}
        onRemove={remove}
        onClose={closeMenu}
      />
      <main>
        <header>
          <button
            ref={menuButton}
            type="button"
            className="icon-button menu-button"
            aria-label="Conversations"
            aria-expanded={isMenuOpen}
            onClick={() => setIsMenuOpen(true)}
          >
            <MenuIcon />
          </button>
          <label className="agent-picker">
            <span className="sr-only">Agent</span>
            <select id="agent" value={agent.id} onChange={(event) => onSelectAgent(event.target.value)}>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <ThemeToggle />
          <button
            type="button"
            className="icon-button new-button"
            aria-label="New conversation"
            disabled={!isListed}
            onClick={openNew}
          >
            <PlusIcon />
          </button>
        </header>
        {stored.problem !== undefined && <ErrorBanner message={stored.problem} onRetry={stored.retry} />}
        {stored.id === openId && stored.messages !== undefined && (
          <ChatView
            key={openId}
            agent={agent}
            conversationId={openId}
            stored={stored.messages}
            onSend={(text) => conversations.add({ id: openId, title: text, updatedAt: new Date().toISOString() })}
            onAnswer={() => void conversations.refresh(openId)}
          />
        )}
      </main>
    </div>
  );
}

interface StoredMessages {
  readonly id?: string;
  readonly messages?: ChatMessage[];
  readonly problem?: string;
}

/** The stored messages of the open conversation; none for a new one. */
function useStoredMessages(agentId: string, conversationId: string): StoredMessages & { readonly retry: () => void } {
  const [stored, setStored] = useState<StoredMessages>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<StoredMessages> => {
      try {
        return { id: conversationId, messages: await loadMessages(agentId, conversationId) };
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
      }
    };
    void load().then((found) => {
      if (isCurrent) setStored(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [agentId, conversationId, attempt]);
  return { ...stored, retry: () => setAttempt(attempt + 1) };
}
