import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import styles from './playground.module.css';

/** Replaces the last question, and its reply. */
export function EditMessage({
  onCancel,
  onSend,
  text,
}: {
  readonly text: string;
  readonly onCancel: () => void;
  readonly onSend: (text: string) => void;
}): ReactNode {
  const [draft, setDraft] = useState(text);
  const send = (): void => {
    if (draft.trim() !== '') onSend(draft.trim());
  };
  return (
    <div className={styles.edit}>
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
      <div className={styles.actions}>
        <Button look="main" onClick={send}>
          Send again
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
