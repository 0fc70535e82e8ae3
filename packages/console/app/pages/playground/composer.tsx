import type { FileUIPart } from 'ai';
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { FileList } from './file-list.tsx';
import { readFiles } from './read-files.ts';
import styles from './composer.module.css';

/**
 * The field for the next message of all lanes. Enter sends it, Shift+Enter starts a new line,
 * Escape stops the replies.
 */
export function Composer({
  draft,
  isBusy,
  onDraft,
  onSend,
  onStop,
  placeholder,
  takesFiles,
}: {
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly isBusy: boolean;
  readonly onSend: (text: string, files: readonly FileUIPart[]) => void;
  readonly onStop: () => void;
  readonly placeholder: string;
  readonly takesFiles: boolean;
}): ReactNode {
  const [files, setFiles] = useState<readonly FileUIPart[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = !isBusy && (draft.trim() !== '' || files.length > 0);
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    // The height of the content does not count the border, without which the field would scroll.
    element.style.height = `${element.scrollHeight + element.offsetHeight - element.clientHeight}px`;
  }, [draft]);

  const attach = (picked: Iterable<File>): void => {
    readFiles([...picked], files).then((parts) => setFiles((known) => [...known, ...parts]), notifyFailure);
  };
  const send = (): void => {
    if (!canSend) return;
    onSend(draft.trim(), files);
    onDraft('');
    setFiles([]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isBusy) onStop();
    // Enter also ends the composition of a word in an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => takesFiles && event.preventDefault()}
      onDrop={(event) => {
        if (!takesFiles) return;
        event.preventDefault();
        attach(event.dataTransfer.files);
      }}
    >
      <FileList files={files} onRemove={(file) => setFiles(files.filter((other) => other !== file))} />
      <div className={styles.row}>
        {takesFiles && (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label="Files to send"
              onChange={(event) => {
                attach(event.target.files ?? []);
                event.target.value = '';
              }}
            />
            <IconButton icon="attach" label="Attach files" onClick={() => picker.current?.click()} />
          </>
        )}
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder={placeholder}
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (!takesFiles || event.clipboardData.files.length === 0) return;
            event.preventDefault();
            attach(event.clipboardData.files);
          }}
        />
        {isBusy ? (
          <Button icon="stop" look="danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="main" disabled={!canSend}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
