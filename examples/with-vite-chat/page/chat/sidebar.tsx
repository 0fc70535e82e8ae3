import type { ReactNode } from 'react';
import { CloseIcon, PencilIcon, PlusIcon } from './icons.tsx';
import { openConversation } from './open-conversation.ts';
import type { Conversations } from './use-conversations.ts';

interface SidebarProps {
  readonly brand: ReactNode;
  readonly conversations: Conversations;
  readonly footer: ReactNode;
  /** On a narrow screen, whether it covers the conversation. */
  readonly isOpen: boolean;
  readonly openId: string | undefined;
  readonly onClose: () => void;
}

/** The conversations of the user. */
export function Sidebar({ brand, conversations, footer, isOpen, onClose, openId }: SidebarProps): ReactNode {
  const { list, problem, remove, rename } = conversations;
  return (
    <>
      {isOpen && <div className="shade" onClick={onClose} />}
      <nav
        className="sidebar"
        aria-label="Conversations"
        data-open={isOpen}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
      >
        <p className="brand">{brand}</p>
        <button
          type="button"
          className="wide"
          onClick={() => {
            openConversation();
            onClose();
          }}
        >
          <PlusIcon /> New conversation
        </button>
        <h2>Conversations</h2>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {list?.length === 0 && <p className="quiet">Your conversations are kept here.</p>}
        <ul>
          {list?.map(({ id, title, updatedAt }) => (
            <li key={id}>
              <a href={`#${id}`} aria-current={id === openId ? 'page' : undefined} onClick={onClose}>
                <span className="title">{title === '' ? 'Untitled' : title}</span>
                <time dateTime={updatedAt}>{dayOf(updatedAt)}</time>
              </a>
              <button
                type="button"
                className="icon"
                aria-label={`Rename ${title}`}
                onClick={() => {
                  const renamed = prompt('Title', title)?.trim();
                  if (renamed !== undefined && renamed !== '') void rename(id, renamed);
                }}
              >
                <PencilIcon />
              </button>
              <button
                type="button"
                className="icon"
                aria-label={`Delete ${title}`}
                onClick={() => {
                  if (confirm(`Delete “${title}”?`)) void remove(id, id === openId);
                }}
              >
                <CloseIcon />
              </button>
            </li>
          ))}
        </ul>
        {footer}
      </nav>
    </>
  );
}

/** `14:05` for today, else `3 Nov`. */
function dayOf(time: string): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(
    'en-GB',
    isToday ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' },
  ).format(date);
}
