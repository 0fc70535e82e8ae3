import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { RunAccess } from '../../access/run-access.tsx';
import { apiUrl } from '../../api/client.ts';
import { runApi, runFailure } from '../../api/run-client.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { shortId } from '../../ui/format.ts';
import type { JsonSchema } from '../../ui/schema-form/json-schema.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { Segmented } from '../../ui/segmented.tsx';
import styles from './workflow.module.css';

type WorkflowDetail = components['schemas']['WorkflowDetail'];
type RunOptions = NonNullable<components['schemas']['RunRequest']['options']>;

const id = { type: 'string', pattern: '^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$' } as const;
/** As the API has it. */
const externalId = {
  type: 'string',
  pattern: String.raw`^(?!\.{1,2}$)[^\x00-\x1f\x7f-\x9f]+$`,
  maxLength: 256,
} as const;

/** The options of a start, as the API has them. */
const optionsSchema: JsonSchema = {
  type: 'object',
  properties: {
    userId: {
      ...externalId,
      title: 'User',
      description: 'Whose execution it is. With a user’s token, the user of the token.',
    },
    executionId: {
      ...id,
      title: 'Execution id',
      description: 'Your own id: a request that is repeated starts nothing. Default: a new one.',
    },
    conversationId: { ...id, title: 'Conversation', description: 'The conversation that its agents continue.' },
    metadata: {
      type: 'object',
      title: 'Metadata',
      description: 'Stored with it. Lists can be filtered by its fields.',
    },
    context: { type: 'object', title: 'Context', description: 'Passed to every step.' },
    workflowState: { type: 'object', title: 'State', description: 'The state that its steps share at the start.' },
  },
};

/** Starts an execution, and opens it. The same request is below the form as a command and as code. */
export function WorkflowStart({
  isAsked,
  source,
  workflow,
}: {
  readonly workflow: WorkflowDetail;
  /** The execution whose input the form contains at first. */
  readonly source: Pick<components['schemas']['ExecutionState'], 'executionId' | 'input'> | undefined;
  /** Moves to the form. */
  readonly isAsked: boolean;
}): ReactNode {
  const navigate = useNavigate();
  const input = useSchemaForm(workflow.inputSchema, source?.input);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isAsked) form.current?.querySelector<HTMLElement>('textarea, select, input:not([type=radio])')?.focus();
  }, [isAsked]);
  const options = useSchemaForm(optionsSchema);
  const [language, setLanguage] = useState<'curl' | 'typescript'>('curl');
  const body = {
    input: input.value ?? null,
    ...(hasFields(options.value) && { options: options.value as RunOptions }),
  };
  const start = useMutation({
    mutationFn: () => startExecution(workflow.id, body),
    onSuccess: (executionId) =>
      navigate({ to: '/executions/$workflowId/$executionId', params: { workflowId: workflow.id, executionId } }),
  });
  const submit = (): void => input.accept(() => options.accept(() => start.mutate()));
  return (
    <section className={styles.start} aria-label="Start">
      <h2>{source === undefined ? 'Start' : <>Start with the input of {shortId(source.executionId)}</>}</h2>
      <RunAccess />
      <form
        ref={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SchemaForm form={input} label="Input" onSubmit={submit} />
        <details className={styles.options}>
          <summary>Options{hasFields(options.value) && ': set'}</summary>
          <SchemaForm form={options} label="Options" onSubmit={submit} />
        </details>
        <details className={styles.options}>
          <summary>The same request as code</summary>
          <div className={styles.code}>
            <Segmented
              label="Language"
              value={language}
              options={[
                { value: 'curl', name: 'curl' },
                { value: 'typescript', name: 'TypeScript' },
              ]}
              onChange={setLanguage}
            />
            <CodeBlock
              code={language === 'curl' ? toCurl(workflow.id, body) : toTypeScript(workflow.id, body)}
              label="Request"
            />
          </div>
        </details>
        {start.error !== null && (
          <p className={styles.failure} role="alert">
            {start.error.message}
          </p>
        )}
        <div className={styles.buttons}>
          <Button type="submit" look="main" icon="play" isBusy={start.isPending}>
            Start
          </Button>
          <Button look="quiet" onClick={() => input.reset()}>
            Clear
          </Button>
        </div>
      </form>
    </section>
  );
}

/**
 * Follows the start only until the execution exists: its page shows what happens. @returns its id.
 */
async function startExecution(workflowId: string, body: components['schemas']['RunRequest']): Promise<string> {
  const abort = new AbortController();
  const { error, response } = await runApi.POST('/workflows/{id}/stream', {
    params: { path: { id: workflowId } },
    body,
    parseAs: 'stream',
    signal: abort.signal,
  });
  if (error !== undefined || !response.ok) throw runFailure(error, response);
  const executionId = response.headers.get('x-execution-id') ?? '';
  abort.abort();
  return executionId;
}

function hasFields(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function toCurl(workflowId: string, body: object): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return `curl ${apiUrl}workflows/${workflowId}/execute \\\n  -H 'content-type: application/json' \\\n  -d '${json}'`;
}

function toTypeScript(workflowId: string, { input, options }: { input: unknown; options?: unknown }): string {
  const body = JSON.stringify({ input, ...(options !== undefined && { options }) }, null, 2).replaceAll('\n', '\n  ');
  return `const response = await fetch('${apiUrl}workflows/${workflowId}/execute', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${body}),
});
const { data } = await response.json();`;
}
