import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { newTrace, runApi, readRunData } from '../../api/run-client.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { RequestCode } from '../../ui/request-code.tsx';
import type { JsonSchema } from '../../ui/schema-form/json-schema.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { TextField } from '../../ui/text-field.tsx';
import { ToolResult, type ToolRun } from './tool-result.tsx';
import type { ToolSummary } from './tools-query.ts';
import styles from './tools.module.css';

const contextSchema: JsonSchema = { type: 'object', title: 'Context', description: 'What the tool gets as `context`.' };

/**
 * Runs a tool without an agent: the form of its input on one side, what came of it on the other.
 */
export function ToolRunner({ agents, tool }: { readonly tool: ToolSummary; readonly agents: ReactNode }): ReactNode {
  const input = useSchemaForm(tool.inputSchema);
  const context = useSchemaForm(contextSchema);
  const [userId, setUserId] = useState('');
  const [conversationId, setConversationId] = useState('');
  const [runs, setRuns] = useState<readonly ToolRun[]>([]);
  const body = {
    input: input.value ?? {},
    ...(userId !== '' && { userId }),
    ...(conversationId !== '' && { conversationId }),
    ...(hasFields(context.value) && { context: context.value }),
  };
  const run = useMutation({
    mutationFn: async () => {
      const started = { ...newTrace(), startedAt: performance.now(), input: body.input };
      const ended = await execute(tool.name, body, started.traceparent);
      setRuns((known) => [{ ...started, ...ended, durationMs: performance.now() - started.startedAt }, ...known]);
    },
  });
  const submit = (): void => {
    if (canRun(tool)) input.accept(() => context.accept(() => run.mutate()));
  };
  const isSet = userId !== '' || conversationId !== '' || hasFields(context.value);
  return (
    <div className={styles.runner}>
      <form
        className={styles.side}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Facts
          facts={{
            'Used by': agents,
            Calls: toCalls(tool),
            Tags: tool.tags.length === 0 ? undefined : tool.tags.join(', '),
          }}
        />
        <SchemaForm form={input} label="Input" onSubmit={submit} />
        <details className={styles.options}>
          <summary>User and context{isSet && ': set'}</summary>
          <div className={styles.fields}>
            <TextField
              label="User"
              value={userId}
              onChange={setUserId}
              hint="For whom the tool runs. With a user’s token, always the user of the token."
            />
            <TextField label="Conversation" value={conversationId} onChange={setConversationId} />
            <SchemaForm form={context} label="Context" onSubmit={submit} />
          </div>
        </details>
        <div className={styles.buttons}>
          <Button type="submit" look="main" icon="play" isBusy={run.isPending} disabled={!canRun(tool)}>
            Run the tool
          </Button>
          <Button look="quiet" onClick={() => input.reset()}>
            Clear
          </Button>
          <kbd>Ctrl Enter</kbd>
        </div>
        <details className={styles.options}>
          <summary>Schemas</summary>
          <div className={styles.fields}>
            <JsonView label="Input schema" value={tool.inputSchema} depth={3} />
            {tool.outputSchema !== null && <JsonView label="Output schema" value={tool.outputSchema} depth={3} />}
          </div>
        </details>
      </form>
      <section className={styles.side} aria-label="Results">
        <ToolResult runs={runs} isRunning={run.isPending} outputSchema={tool.outputSchema} />
        <RequestCode path={`tools/${encodeURIComponent(tool.name)}/execute`} body={body} />
      </section>
    </div>
  );
}

async function execute(name: string, body: object, traceparent: string): Promise<Pick<ToolRun, 'result' | 'error'>> {
  try {
    const { result } = await readRunData(
      runApi.POST('/tools/{name}/execute', {
        params: { path: { name } },
        body: body as { input: unknown },
        headers: { traceparent },
      }),
    );
    return { result };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function toCalls({ clientSide, needsApproval }: ToolSummary): string {
  if (clientSide === true) return 'run in the client, which the server cannot do';
  return needsApproval ? 'wait for a person’s approval, which only agents can ask for: talk to one' : 'run at once';
}

/** A tool that asks for approval, or runs in the client, is called by agents only. */
function canRun({ clientSide, needsApproval }: ToolSummary): boolean {
  return clientSide !== true && !needsApproval;
}

function hasFields(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
