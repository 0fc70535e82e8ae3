import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { notify } from '../../ui/toast.tsx';
import type { StoredMessage } from './memory-api.ts';
import styles from './conversations.module.css';

interface DeletionOf {
  readonly conversationId: string;
  readonly agentId: string | undefined;
  readonly userId: string;
}

/** Asks before a conversation is deleted with everything in it. */
export function DeleteConversation({
  conversationId,
  agentId,
  userId,
  title,
  isOpen,
  onClose,
  onDeleted,
}: DeletionOf & {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}): ReactNode {
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: () =>
      readData(
        api.DELETE('/api/memory/conversations/{conversationId}', {
          params: { path: { conversationId }, query: { ...(agentId !== undefined && { agentId }), userId } },
        }),
      ),
    onSuccess: () => {
      onDeleted();
      notify('The conversation is deleted.');
      void client.invalidateQueries({ queryKey: ['conversations', 'list'] });
    },
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete this conversation?"
      description={`“${title}” is deleted with its messages, its working memory and what search knows of it. This cannot be undone.`}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" isBusy={deletion.isPending} onClick={() => deletion.mutate()}>
            Delete the conversation
          </Button>
        </>
      }
    >
      <Failure error={deletion.error} />
    </Dialog>
  );
}

export function DeleteMessage({
  conversationId,
  agentId,
  userId,
  message,
  onClose,
}: DeletionOf & {
  /** Undefined: nothing is asked. */
  readonly message: StoredMessage | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: (messageId: string) =>
      readData(
        api.POST('/api/memory/messages/delete', {
          body: { ...(agentId !== undefined && { agentId }), userId, conversationId, messageIds: [messageId] },
        }),
      ),
    onSuccess: () => {
      onClose();
      notify('The message is deleted.');
      void client.invalidateQueries({ queryKey: ['conversations'] });
    },
  });
  return (
    <Dialog
      isOpen={message !== undefined}
      onClose={onClose}
      title="Delete this message?"
      description="Agents no longer read it in this conversation. Summaries that repeat it are deleted too. This cannot be undone."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            look="danger"
            isBusy={deletion.isPending}
            onClick={() => message !== undefined && deletion.mutate(message.id)}
          >
            Delete the message
          </Button>
        </>
      }
    >
      <Failure error={deletion.error} />
    </Dialog>
  );
}

/** Asks for the id of the user before everything of that user is deleted. */
export function DeleteUser({
  userId,
  isOpen,
  onClose,
  onDeleted,
}: {
  readonly userId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: (deleted: components['schemas']['DeletedUser']) => void;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => readData(api.DELETE('/api/memory/users/{userId}', { params: { path: { userId } } })),
    onSuccess: (deleted) => {
      void client.invalidateQueries();
      onDeleted(deleted);
    },
  });
  const close = (): void => {
    setTyped('');
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={`Delete everything of ${userId}?`}
      description="Conversations, messages, working memory, executions and their traces are deleted in every memory of the server. Running executions stop. This cannot be undone: export the data first if somebody may need it."
      footer={
        <>
          <Button onClick={close}>Keep it</Button>
          <Button
            look="danger"
            isBusy={deletion.isPending}
            disabled={typed !== userId}
            onClick={() => deletion.mutate()}
          >
            Delete everything
          </Button>
        </>
      }
    >
      <TextField label={`Type ${userId} to confirm`} value={typed} onChange={setTyped} />
      <Failure error={deletion.error} />
    </Dialog>
  );
}

function Failure({ error }: { readonly error: Error | null }): ReactNode {
  return error === null ? null : (
    <p className={styles.failure} role="alert">
      {error.message}
    </p>
  );
}
