import { type Approval, createClient } from '@halyard/client';
import { useAgentChat, useApprovals, useExecution } from '@halyard/react';
import { type ReactNode, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const client = createClient();

function Chat(): ReactNode {
  const [problem, setProblem] = useState('');
  const onError = (error: Error): void => setProblem(error.message);
  const chat = useAgentChat({ client, agentId: 'assistant', conversationId: 'tea', userId: 'ada', onError });
  if (chat.isLoading) return <p>Loading …</p>;
  return (
    <>
      <ol>
        {chat.messages.map((message) => (
          <li key={message.id} className={message.role}>
            {message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}
          </li>
        ))}
      </ol>
      {chat.approvals.map((approval) => (
        <p key={approval.id} className="approval">
          {approval.toolName}: {JSON.stringify(approval.input)}
          <button onClick={() => chat.answer(approval, true)}>Approve</button>
          <button onClick={() => chat.answer(approval, true, 'Less', { input: { euros: 1 } })}>Approve less</button>
          {approval.allowsAlways && (
            <button onClick={() => chat.answer(approval, true, undefined, { always: { scope: 'conversation' } })}>
              Approve always
            </button>
          )}
          <button onClick={() => chat.answer(approval, false, 'Too expensive')}>Deny</button>
        </p>
      ))}
      <p role="status">{chat.isReconnecting ? 'reconnecting' : chat.status}</p>
      {chat.error !== undefined && <p role="alert">{chat.error.message}</p>}
      <p className="problem">{problem}</p>
      {chat.loadError !== undefined && <button onClick={chat.reload}>Load again: {chat.loadError.message}</button>}
      <button onClick={() => void chat.sendMessage({ text: 'Hello' })}>Send</button>
      <button onClick={() => void chat.stop()}>Stop</button>
    </>
  );
}

/** Without an id until the person keeps it in the address. */
function NewChat(): ReactNode {
  const [id, setId] = useState(location.hash.slice(1) || undefined);
  const chat = useAgentChat({ client, agentId: 'assistant', conversationId: id, userId: 'ada' });
  const keep = (): void => {
    location.hash = chat.id;
    setId(chat.id);
  };
  return (
    <>
      {chat.messages.map((message) => (
        <p key={message.id} className={message.role}>
          {message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}
        </p>
      ))}
      <p role="status">{chat.isLoading ? 'loading' : chat.status}</p>
      <button onClick={() => void chat.sendMessage({ text: 'Hello' })}>Send</button>
      <button onClick={keep}>Keep</button>
      <button onClick={() => setId(location.hash.slice(1))}>Back</button>
      <button onClick={() => setId(undefined)}>New</button>
    </>
  );
}

function Order(): ReactNode {
  const [id, setId] = useState<string | undefined>(() => new URLSearchParams(location.search).get('id') ?? undefined);
  const { cancel, error, events, result, resume, state, status } = useExecution(client, 'order', id, { pollMs: 200 });
  const start = async (): Promise<void> => {
    const execution = await client.workflow('order').start({ item: 'sail' });
    setId(execution.executionId);
  };
  return (
    <>
      <p role="status">{status ?? 'none'}</p>
      <p className="events">{events.map((event) => ('seq' in event ? event.seq : '-')).join(' ')}</p>
      <p className="reason">{state?.suspension?.reason}</p>
      <p className="result">{JSON.stringify(result)}</p>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <button onClick={() => void start()}>Start</button>
      <button onClick={() => void resume({ resumeData: { approved: true } })}>Approve</button>
      <button onClick={() => void cancel({ reason: 'Changed my mind' })}>Cancel</button>
    </>
  );
}

function Inbox(): ReactNode {
  const { answer, approvals, error } = useApprovals(client, { pollMs: 200 });
  const [problem, setProblem] = useState('');
  const approve = (approval: Approval): void => {
    const given = approval.kind === 'step' ? { resumeData: { approved: true } } : { approved: true };
    answer(approval, given).catch((failure: unknown) => setProblem(String(failure)));
  };
  return (
    <>
      {approvals?.map((approval) => (
        <p key={`${approval.executionId} ${approval.conversationId} ${approval.id}`} className="approval">
          {approval.workflowId ?? approval.toolName} <button onClick={() => approve(approval)}>Approve</button>
        </p>
      ))}
      <p role="status">{approvals?.length ?? 'loading'}</p>
      <p role="alert">
        {error?.message} {problem}
      </p>
    </>
  );
}

const views: Readonly<Record<string, () => ReactNode>> = {
  '/chat-hook': Chat,
  '/new-chat-hook': NewChat,
  '/order-hook': Order,
  '/inbox-hook': Inbox,
};
const View = views[location.pathname] ?? Chat;
const root = document.querySelector('#root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <View />
    </StrictMode>,
  );
