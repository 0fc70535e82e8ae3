import { type KeyboardEvent, type ReactNode, type SubmitEvent, useLayoutEffect, useRef, useState } from 'react';
import { SendIcon, StopIcon } from './icons.tsx';

interface ComposerProps {
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** The field for a message. Enter sends it, Shift+Enter starts a new line. */
export function Composer({ isBusy, isDisabled, onSend, onStop }: ComposerProps): ReactNode {
  const [draft, setDraft] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const canSend = !isBusy && !isDisabled && draft.trim() !== '';
  useLayoutEffect(() => {
    if (field.current === null) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [draft]);

  const send = (): void => {
    if (!canSend) return;
    onSend(draft.trim());
    setDraft('');
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of a word in an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form className="composer" onSubmit={onSubmit}>
      <textarea
        ref={field}
        rows={1}
        value={draft}
        aria-label="Message"
        placeholder="Ask the harbour desk"
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy ? (
        <button type="button" className="round" aria-label="Stop" onClick={onStop}>
          <StopIcon />
        </button>
      ) : (
        <button type="submit" className="round" aria-label="Send" disabled={!canSend}>
          <SendIcon />
        </button>
      )}
    </form>
  );
}
