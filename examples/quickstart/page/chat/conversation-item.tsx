import { type ReactNode, type SubmitEvent, useState } from 'react';
import type { Conversation } from './conversations.ts';
import { PencilIcon, TrashIcon } from './icons.tsx';

interface ConversationItemProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onRename: (title: string) => Promise<void>;
  readonly onRemove: () => Promise<void>;
}

export function ConversationItem(props: ConversationItemProps): ReactNode {
  const { conversation, isOpen, onOpen, onRemove, onRename } = props;
  const [mode, setMode] = useState<'show' | 'rename' | 'delete'>('show');
  const title = conversation.title === '' ? 'Untitled conversation' : conversation.title;
  const done = (): void => setMode('show');
  const rename = async (text: string): Promise<void> => {
    await onRename(text);
    done();
  };

  if (mode === 'rename') {
    return (
      <li>
        <RenameForm title={conversation.title} onCancel={done} onSave={(text) => void rename(text)} />
      </li>
    );
  }
  if (mode === 'delete') {
    return (
      <li
        className="confirm"
        onKeyDown={(event) => {
          if (event.key === 'Escape') done();
          event.stopPropagation();
        }}
      >
        <p>Delete “{title}”?</p>
        <button type="button" className="danger" autoFocus onClick={() => void onRemove()}>
          Delete
        </button>
        <button type="button" onClick={done}>
          Keep
        </button>
      </li>
    );
  }
  return (
    <li className="conversation" data-open={isOpen}>
      <button
        type="button"
        className="conversation-title"
        title={title}
        aria-current={isOpen ? 'page' : undefined}
        onClick={onOpen}
      >
        {title}
      </button>
      <button type="button" className="icon-button" aria-label={`Rename ${title}`} onClick={() => setMode('rename')}>
        <PencilIcon />
      </button>
      <button type="button" className="icon-button" aria-label={`Delete ${title}`} onClick={() => setMode('delete')}>
        <TrashIcon />
      </button>
    </li>
  );
}

interface RenameFormProps {
  readonly title: string;
  readonly onCancel: () => void;
  readonly onSave: (title: string) => void;
}

function RenameForm({ onCancel, onSave, title }: RenameFormProps): ReactNode {
  const [draft, setDraft] = useState(title);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (draft.trim() !== '') onSave(draft.trim());
  };
  return (
    <form className="rename" onSubmit={submit}>
      <input
        aria-label="Title"
        value={draft}
        autoFocus
        maxLength={120}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={onCancel}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onCancel();
        }}
      />
    </form>
  );
}
