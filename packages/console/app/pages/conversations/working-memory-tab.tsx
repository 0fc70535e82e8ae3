import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, ApiError, readData } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { notify } from '../../ui/toast.tsx';
import { readWorkingMemory, useCanChange, type WorkingMemory } from './memory-api.ts';
import styles from './conversations.module.css';

interface MemoryOf {
  readonly conversationId: string;
  readonly agentId: string | undefined;
  readonly userId: string;
}

type Content = string | Record<string, unknown>;

/** An agent's notes about a conversation or its user: a form by its schema, else a text. */
export function WorkingMemoryTab(of: MemoryOf): ReactNode {
  const { agentId, conversationId } = of;
  const canChange = useCanChange();
  const { data, dataUpdatedAt, error, isPending, refetch } = useQuery({
    queryKey: ['working memory', conversationId, agentId],
    queryFn: ({ signal }) => readWorkingMemory(conversationId, { ...(agentId !== undefined && { agentId }) }, signal),
    // A reload must not replace a person's unsaved changes.
    refetchOnWindowFocus: false,
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading what="the working memory" />;
  const { content, format, scope } = data;
  return (
    <div className={styles.memory}>
      <p className={styles.soft}>
        {scope === 'user' ? 'Shared by all conversations of this user.' : 'Of this conversation.'}{' '}
        {!canChange && 'With the console key it can be read; to change it, use the token of its user.'}
      </p>
      {canChange ? (
        <Editor key={dataUpdatedAt} of={of} stored={data} onReload={() => void refetch()} />
      ) : content === null ? (
        <p className={styles.soft}>Nothing is remembered yet.</p>
      ) : format === 'json' || typeof content !== 'string' ? (
        <JsonView label="working memory" value={content} depth={4} />
      ) : (
        <Markdown text={content} />
      )}
    </div>
  );
}

function Editor({
  of: { agentId, conversationId, userId },
  stored,
  onReload,
}: {
  readonly of: MemoryOf;
  readonly stored: WorkingMemory;
  readonly onReload: () => void;
}): ReactNode {
  const client = useQueryClient();
  const { content, scope } = stored;
  const save = useMutation({
    mutationFn: ({ next, isForced }: { readonly next: Content; readonly isForced: boolean }) =>
      readData(
        api.POST('/api/memory/conversations/{conversationId}/working-memory', {
          params: { path: { conversationId } },
          body: {
            ...(agentId !== undefined && { agentId }),
            userId,
            scope,
            content: next,
            ...(!isForced && { expected: content }),
          },
        }),
      ),
    onSuccess: () => {
      notify('The working memory is saved.');
      void client.invalidateQueries({ queryKey: ['working memory'] });
    },
  });
  const hasChanged = save.error instanceof ApiError && save.error.status === 409;
  const submit = (next: Content): void => save.mutate({ next, isForced: false });
  return (
    <>
      {stored.schema === null ? (
        <TextEditor stored={stored} isBusy={save.isPending} onSave={submit} />
      ) : (
        <FormEditor stored={stored} isBusy={save.isPending} onSave={submit} />
      )}
      {save.error !== null && (
        <div className={styles.failure} role="alert">
          <p>{hasChanged ? 'An agent or another person has changed it since you opened it.' : save.error.message}</p>
          {hasChanged && (
            <div className={styles.buttons}>
              <Button onClick={onReload}>Show the stored one</Button>
              <Button
                look="danger"
                onClick={() => save.variables && save.mutate({ ...save.variables, isForced: true })}
              >
                Replace it
              </Button>
            </div>
          )}
        </div>
      )}
    </>
  );
}

interface EditorProps {
  readonly stored: WorkingMemory;
  readonly isBusy: boolean;
  readonly onSave: (content: Content) => void;
}

function TextEditor({ stored: { content, template }, isBusy, onSave }: EditorProps): ReactNode {
  const id = useId();
  const [text, setText] = useState(typeof content === 'string' ? content : (template ?? ''));
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <label htmlFor={id}>Notes, in markdown</label>
      <textarea id={id} rows={14} value={text} onChange={(event) => setText(event.target.value)} />
      <div className={styles.buttons}>
        <Button type="submit" look="main" isBusy={isBusy} disabled={text === content}>
          Save
        </Button>
      </div>
    </form>
  );
}

function FormEditor({ stored: { content, schema }, isBusy, onSave }: EditorProps): ReactNode {
  const form = useSchemaForm(schema, content ?? undefined);
  // The schema of a working memory is of type object.
  const save = (value: unknown): void => onSave(value as Record<string, unknown>);
  return (
    <div className={styles.editor}>
      <SchemaForm form={form} label="Working memory" onSubmit={save} />
      <div className={styles.buttons}>
        <Button look="main" isBusy={isBusy} onClick={() => form.accept(save)}>
          Save
        </Button>
      </div>
    </div>
  );
}
