import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ConversationItem } from './conversation-item.tsx';
import type { Conversation } from './conversations.ts';
import { CloseIcon, Logo, PlusIcon, SearchIcon } from './icons.tsx';
import { readableError } from './readable-error.ts';
import type { Conversations } from './use-conversations.ts';
import { useIsNarrow } from './use-is-narrow.ts';

interface SidebarProps {
  readonly conversations: Conversations;
  readonly openId: string;
  /** On a narrow screen, the sidebar is a drawer. */
  readonly isDrawerOpen: boolean;
  readonly onOpen: (conversationId: string) => void;
  readonly onNew: () => void;
  readonly onRemove: (conversationId: string) => Promise<void>;
  readonly onClose: () => void;
}

export function Sidebar(props: SidebarProps): ReactNode {
  const { conversations, isDrawerOpen, onClose, onNew, onOpen, onRemove, openId } = props;
  const [search, setSearch] = useState('');
  const isNarrow = useIsNarrow();
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isDrawerOpen) closeButton.current?.focus();
  }, [isDrawerOpen]);

  const list = conversations.list ?? [];
  const words = search.trim().toLowerCase();
  const found = list.filter(({ title }) => title.toLowerCase().includes(words));
  return (
    <>
      {isNarrow && isDrawerOpen && <div className="backdrop" onClick={onClose} />}
      <aside
        className="sidebar"
        data-open={isDrawerOpen}
        aria-label="Conversations"
        inert={isNarrow && !isDrawerOpen}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isDrawerOpen) onClose();
        }}
      >
        <div className="sidebar-top">
          <a className="brand" href="/">
            <Logo /> Halyard
          </a>
          <button
            ref={closeButton}
            type="button"
            className="icon-button drawer-close"
            aria-label="Close the list"
            onClick={onClose}
          >
            <CloseIcon />
          </button>
        </div>
        <button id="new" type="button" className="new-conversation" onClick={onNew}>
          <PlusIcon /> New conversation
        </button>
        {list.length > 1 && (
          <label className="search">
            <SearchIcon />
            <span className="sr-only">Search conversations</span>
            <input
              type="search"
              placeholder="Search"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </label>
        )}
        <nav aria-label="Conversations" onKeyDown={moveFocus}>
          {groupsOf(found).map(({ name, members }) => (
            <Group key={name} name={name}>
              {members.map((conversation) => (
                <ConversationItem
                  key={conversation.id}
                  conversation={conversation}
                  isOpen={conversation.id === openId}
                  onOpen={() => onOpen(conversation.id)}
                  onRename={(title) => conversations.rename(conversation.id, title)}
                  onRemove={() => onRemove(conversation.id)}
                />
              ))}
            </Group>
          ))}
          {conversations.list !== undefined && found.length === 0 && (
            <p className="none">{list.length === 0 ? 'Your conversations appear here.' : 'No title contains this.'}</p>
          )}
          {conversations.problem !== undefined && (
            <p className="none" role="alert">
              {readableError(conversations.problem)}
            </p>
          )}
        </nav>
        <footer>
          <a href="/">Start page</a>
          <a href="/expenses">Expenses</a>
          <a href="/ui">API explorer</a>
          <a href="/doc">OpenAPI</a>
          <a href="/console/traces">Traces</a>
        </footer>
      </aside>
    </>
  );
}

function Group({ children, name }: { readonly children: ReactNode; readonly name: string }): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <ul>{children}</ul>
    </section>
  );
}

interface ConversationGroup {
  readonly name: string;
  readonly members: readonly Conversation[];
}

function groupsOf(conversations: readonly Conversation[]): readonly ConversationGroup[] {
  const today = new Date().toDateString();
  const yesterday = new Date(Date.now() - 86_400_000).toDateString();
  const nameOf = ({ updatedAt }: Conversation): string => {
    const day = new Date(updatedAt).toDateString();
    return day === today ? 'Today' : day === yesterday ? 'Yesterday' : 'Earlier';
  };
  return ['Today', 'Yesterday', 'Earlier']
    .map((name) => ({ name, members: conversations.filter((conversation) => nameOf(conversation) === name) }))
    .filter(({ members }) => members.length > 0);
}

/** The arrow keys, Home and End move between conversations. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const titles = [...event.currentTarget.querySelectorAll<HTMLElement>('.conversation-title')];
  const at = titles.findIndex((title) => title === document.activeElement);
  if (at === -1) return;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: titles.length - 1,
  };
  const target = titles[targets[event.key] ?? -1];
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}
