import type { FileUIPart } from 'ai';
import {
  type KeyboardEvent,
  type ReactNode,
  type SubmitEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Attachments } from './attachments.tsx';
import { ClipIcon, SendIcon, StopIcon } from './icons.tsx';

interface ComposerProps {
  readonly isBusy: boolean;
  readonly files: readonly FileUIPart[];
  readonly onAttach: (files: readonly File[]) => void;
  readonly onDetach: (file: FileUIPart) => void;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** The field for a message. Enter sends it, Shift+Enter starts a new line. */
export function Composer({ files, isBusy, onAttach, onDetach, onSend, onStop }: ComposerProps): ReactNode {
  const [draft, setDraft] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = !isBusy && (draft.trim() !== '' || files.length > 0);

  useEffect(() => {
    // On a phone, the focus would open the keyboard.
    if (matchMedia('(hover: hover)').matches) field.current?.focus();
  }, []);
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
      <Attachments files={files} onRemove={onDetach} />
      <div className="composer-row">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            onAttach([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <button type="button" className="icon-button" aria-label="Attach files" onClick={() => picker.current?.click()}>
          <ClipIcon />
        </button>
        <textarea
          id="draft"
          ref={field}
          rows={1}
          value={draft}
          aria-label="Message"
          placeholder="Write a message"
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            onAttach([...event.clipboardData.files]);
          }}
        />
        {isBusy ? (
          <button id="stop" type="button" className="round" aria-label="Stop (Esc)" onClick={onStop}>
            <StopIcon />
          </button>
        ) : (
          <button id="send" type="submit" className="round" aria-label="Send" disabled={!canSend}>
            <SendIcon />
          </button>
        )}
      </div>
    </form>
  );
}
