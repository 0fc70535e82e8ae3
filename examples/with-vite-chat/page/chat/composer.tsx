import type { FileUIPart } from 'ai';
import { type KeyboardEvent, type ReactNode, type SubmitEvent, useLayoutEffect, useRef, useState } from 'react';
import { Attachments, readFiles } from './attachments.tsx';
import { ClipIcon, SendIcon, StopIcon } from './icons.tsx';

interface ComposerProps {
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly placeholder: string;
  readonly onSend: (text: string, files: readonly FileUIPart[]) => void;
  readonly onStop: () => void;
}

/**
 * The field for a message. Enter sends it, Shift+Enter starts a new line. Files are picked, pasted
 * or dropped.
 */
export function Composer({ isBusy, isDisabled, onSend, onStop, placeholder }: ComposerProps): ReactNode {
  const [draft, setDraft] = useState('');
  const [files, setFiles] = useState<readonly FileUIPart[]>([]);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = !isBusy && !isDisabled && (draft.trim() !== '' || files.length > 0);
  useLayoutEffect(() => {
    if (field.current === null) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [draft]);

  const attach = (picked: FileList | null): void => {
    setProblem(undefined);
    readFiles([...(picked ?? [])], files).then(
      (parts) => setFiles((known) => [...known, ...parts]),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  const send = (): void => {
    if (!canSend) return;
    onSend(draft.trim(), files);
    setDraft('');
    setFiles([]);
    setProblem(undefined);
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
    <>
      {problem !== undefined && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      <form
        className="composer"
        onSubmit={onSubmit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          attach(event.dataTransfer.files);
        }}
      >
        <Attachments files={files} onRemove={(file) => setFiles((known) => known.filter((one) => one !== file))} />
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            attach(event.target.files);
            event.target.value = '';
          }}
        />
        <button type="button" className="icon" aria-label="Attach files" onClick={() => picker.current?.click()}>
          <ClipIcon />
        </button>
        <textarea
          ref={field}
          rows={1}
          value={draft}
          aria-label="Message"
          placeholder={placeholder}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            attach(event.clipboardData.files);
          }}
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
    </>
  );
}
