import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useIsRunRefused } from '../../access/run-credential.ts';
import { readRunData, runApi } from '../../api/run-client.ts';
import type { components } from '../../api/schema.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Ago } from '../../ui/time.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { type ConversationOwner, conversationsQuery } from './conversations-query.ts';
import styles from './conversation-side.module.css';

type Conversation = components['schemas']['Conversation'];

interface ConversationSideProps {
  readonly owner: ConversationOwner;
  /** The one that is open; undefined: a new one. */
  readonly currentId: string | undefined;
  readonly isBusy: boolean;
  readonly onOpen: (conversationId: string) => void;
  /** The open conversation exists no more. */
  readonly onGone: () => void;
}

/** The newest conversations with an agent: opens, renames and deletes them. */
export function ConversationSide({ currentId, isBusy, onGone, onOpen, owner }: ConversationSideProps): ReactNode {
  const isRefused = useIsRunRefused();
  const { data = [], isPending } = useQuery(conversationsQuery(owner, !isRefused));
  const [renamedId, setRenamed] = useState<string>();
  const [deleted, setDeleted] = useState<Conversation>();
  const listed = data.filter(({ id }) => !id.endsWith('.beside'));
  return (
    <>
      {listed.length === 0 && !isPending && <p className={styles.none}>Conversations are listed here.</p>}
      <ul className={styles.list} aria-label="Conversations">
        {listed.map((conversation) => (
          <li key={conversation.id} className={styles.item} data-current={conversation.id === currentId || undefined}>
            {conversation.id === renamedId ? (
              <Rename owner={owner} conversation={conversation} onEnd={() => setRenamed(undefined)} />
            ) : (
              <>
                <button
                  type="button"
                  className={styles.open}
                  aria-current={conversation.id === currentId || undefined}
                  disabled={isBusy}
                  onClick={() => onOpen(conversation.id)}
                >
                  <span dir="auto">{nameOf(conversation)}</span>
                  <small>
                    <Ago time={conversation.updatedAt} />
                  </small>
                </button>
                <span className={styles.actions}>
                  <IconButton
                    icon="edit"
                    label={`Rename ${nameOf(conversation)}`}
                    onClick={() => setRenamed(conversation.id)}
                  />
                  <IconButton
                    icon="trash"
                    label={`Delete ${nameOf(conversation)}`}
                    disabled={isBusy}
                    onClick={() => setDeleted(conversation)}
                  />
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
      <Deletion
        owner={owner}
        conversation={deleted}
        onEnd={(isDeleted) => {
          setDeleted(undefined);
          if (isDeleted && deleted?.id === currentId) onGone();
        }}
      />
    </>
  );
}

function nameOf({ title }: Conversation): string {
  return title === '' ? 'Untitled conversation' : title;
}

interface ChangeProps<Changed> {
  readonly owner: ConversationOwner;
  readonly conversation: Changed;
}

/** Enter and leaving the field rename, Escape does not. */
function Rename({
  conversation: { id, title },
  onEnd,
  owner: { agentId, userId },
}: ChangeProps<Conversation> & { readonly onEnd: () => void }): ReactNode {
  const client = useQueryClient();
  const [text, setText] = useState(title);
  const { isPending, mutate } = useMutation({
    mutationFn: (next: string) => {
      const query = { agentId, ...(userId !== undefined && { userId }) };
      const params = { path: { conversationId: id }, query };
      return readRunData(runApi.PATCH('/api/memory/conversations/{conversationId}', { params, body: { title: next } }));
    },
    onError: notifyFailure,
    onSettled: () => client.invalidateQueries({ queryKey: ['playground', 'conversations'] }).finally(onEnd),
  });
  const isOver = useRef(false);
  const cancel = (): void => {
    isOver.current = true;
    onEnd();
  };
  const apply = (): void => {
    if (isOver.current) return;
    const next = text.trim();
    if (next === '' || next === title) onEnd();
    else if (!isPending) mutate(next);
  };
  return (
    <input
      className={styles.rename}
      aria-label="Name of the conversation"
      autoFocus
      dir="auto"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
        if (event.key !== 'Escape') return;
        // A menu around it stays open.
        event.stopPropagation();
        cancel();
      }}
    />
  );
}

function Deletion({
  conversation,
  onEnd,
  owner: { agentId, userId },
}: ChangeProps<Conversation | undefined> & { readonly onEnd: (isDeleted: boolean) => void }): ReactNode {
  const client = useQueryClient();
  const { isPending, mutate } = useMutation({
    mutationFn: (conversationId: string) => {
      const query = { agentId, ...(userId !== undefined && { userId }) };
      const params = { path: { conversationId }, query };
      return readRunData(runApi.DELETE('/api/memory/conversations/{conversationId}', { params }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['playground', 'conversations'] });
      onEnd(true);
    },
    onError: notifyFailure,
  });
  if (conversation === undefined) return null;
  return (
    <Dialog
      isOpen
      onClose={() => onEnd(false)}
      title="Delete this conversation?"
      description={`“${nameOf(conversation)}” is deleted with its messages. This cannot be undone.`}
      footer={
        <>
          <Button onClick={() => onEnd(false)}>Keep it</Button>
          <Button look="danger" isBusy={isPending} onClick={() => mutate(conversation.id)}>
            Delete the conversation
          </Button>
        </>
      }
    />
  );
}
