import { createClient } from '@halyard/client';
import { useAgentChat } from '@halyard/react';
import { type FormEvent, useState } from 'react';
import type { App as Server } from '../server.ts';

const client = createClient<Server>({ baseUrl: `${location.origin}/api` });

/** From the first message on, the conversation is in the address, so that a reload or a link opens it again. */
const conversationId = location.hash.slice(1) || undefined;

export default function App() {
  const chat = useAgentChat({ client, agentId: 'assistant', conversationId });
  const [text, setText] = useState('');

  function send(event: FormEvent) {
    event.preventDefault();
    history.replaceState(null, '', `#${chat.id}`);
    void chat.sendMessage({ text });
    setText('');
  }

  if (chat.loadError) return <button onClick={chat.reload}>Load the conversation again</button>;
  return (
    <main>
      {chat.messages.map((message) => (
        <p key={message.id}>
          <b>{message.role === 'user' ? 'You' : 'Assistant'}</b>{' '}
          {message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}
        </p>
      ))}
      {chat.approvals.map((approval) => (
        <p key={approval.id}>
          {approval.toolName} {JSON.stringify(approval.input)}{' '}
          <button onClick={() => chat.answer(approval, true)}>Approve</button>
          <button onClick={() => chat.answer(approval, false)}>Decline</button>
        </p>
      ))}
      {chat.isReconnecting && <p>The connection was lost. Connecting again …</p>}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        {chat.isBusy ? (
          <button type="button" onClick={() => void chat.stop()}>
            Stop
          </button>
        ) : (
          <button disabled={text === ''}>Send</button>
        )}
      </form>
    </main>
  );
}
