import type { UIMessage } from 'ai';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { textOf } from './message.tsx';

interface EditMessageProps {
  readonly message: UIMessage;
  readonly onCancel: () => void;
  readonly onSend: (text: string) => void;
}

/** Replaces the last question, and its answer. */
export function EditMessage({ message, onCancel, onSend }: EditMessageProps): ReactNode {
  const [draft, setDraft] = useState(() => textOf(message));
  const send = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (draft.trim() !== '') onSend(draft.trim());
  };
  return (
    <form className="edit" onSubmit={send}>
      <textarea
        aria-label="Edit the message"
        value={draft}
        rows={Math.min(8, draft.split('\n').length + 1)}
        autoFocus
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="choice">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="primary">
          Save
        </button>
      </div>
    </form>
  );
}
