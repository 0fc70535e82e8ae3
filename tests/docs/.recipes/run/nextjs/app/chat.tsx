'use client';

import { createClient } from '@halyard/client';
import { useAgentChat } from '@halyard/react';
import { type FormEvent, useState } from 'react';
import type { App } from '../agents/server.ts';

const origin = typeof location === 'undefined' ? 'http://localhost:3000' : location.origin;
const client = createClient<App>({ baseUrl: `${origin}/halyard` });

export function Chat({ conversationId }: { readonly conversationId: string }) {
  const chat = useAgentChat({ client, agentId: 'assistant', conversationId });
  const [text, setText] = useState('');

  function send(event: FormEvent) {
    event.preventDefault();
    void chat.sendMessage({ text });
    setText('');
  }

  return (
    <main>
      {chat.messages.map((message) => (
        <p key={message.id}>
          <b>{message.role === 'user' ? 'You' : 'Assistant'}</b>{' '}
          {message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}
        </p>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={text === '' || chat.isBusy}>Send</button>
      </form>
    </main>
  );
}
