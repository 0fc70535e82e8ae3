import { type ReactNode, useSyncExternalStore } from 'react';
import { apiUrl } from '../../api/client.ts';
import { type CodeCredential, headerCode, indented, RequestCode } from '../../ui/request-code.tsx';
import { type LaneSetup, optionsOf } from './lane.ts';
import styles from './panel.module.css';

/**
 * The request as it was sent last, or as it would be sent, for the command line and for TypeScript.
 */
export function CodePanel({
  draft,
  schema,
  setup,
}: {
  readonly setup: LaneSetup;
  readonly draft: string;
  /** Undefined for a chat. */
  readonly schema: object | undefined;
}): ReactNode {
  const { request } = useSyncExternalStore(setup.log.subscribe, setup.log.snapshot);
  const { body, path } =
    request?.body !== undefined && draft === '' ? request : nextRequest(setup, draft === '' ? 'Hello' : draft, schema);
  return (
    <div className={styles.panel}>
      <RequestCode
        path={path}
        body={body}
        isStream
        {...(path.endsWith('/chat') && {
          typescript: (credential: CodeCredential) => chatCode(path, body as ChatBody, credential),
        })}
      />
      <p className={styles.soft}>
        {draft === '' && request?.body !== undefined ? 'As it was sent last.' : 'As it will be sent.'}
      </p>
    </div>
  );
}

interface ChatBody {
  readonly id?: string;
  readonly messages: readonly unknown[];
  readonly options?: unknown;
}

function nextRequest(
  setup: LaneSetup,
  text: string,
  schema: object | undefined,
): { readonly path: string; readonly body: unknown } {
  const { id } = setup.agent;
  const { resumable: _, ...options } = optionsOf(setup);
  if (schema !== undefined) return { path: `agents/${id}/stream-object`, body: { input: text, schema, options } };
  const messages = [{ id: 'q1', role: 'user', parts: [{ type: 'text', text }] }];
  return {
    path: `agents/${id}/chat`,
    body: { ...(setup.hasMemory && { id: setup.conversationId }), messages, options: optionsOf(setup) },
  };
}

function chatCode(path: string, { id, messages, options }: ChatBody, credential: CodeCredential): string {
  return `import { DefaultChatTransport, readUIMessageStream } from 'ai';

const transport = new DefaultChatTransport({
  api: '${apiUrl}${path}',
  headers: { ${headerCode(credential)} },
  body: { options: ${indented(options)} },
});
const stream = await transport.sendMessages({
  trigger: 'submit-message',
  chatId: ${JSON.stringify(id ?? 'new')},
  messageId: undefined,
  messages: ${indented(messages)},
  abortSignal: undefined,
});
for await (const message of readUIMessageStream({ stream })) console.log(message.parts);`;
}
