import { createClient } from '@halyard/client';
import { useAgentChat } from '@halyard/react';
import { type FormEvent, useRef, useState } from 'react';
import type { App as Server } from '../server.ts';

const client = createClient<Server>({ baseUrl: `${location.origin}/api` });
const conversationId = location.hash.slice(1) || undefined;

/** A file grows by a third in a message, and a request may have 8 MiB. */
const maxBytes = 5 * 1024 * 1024;

export default function App() {
  const chat = useAgentChat({ client, agentId: 'assistant', conversationId });
  const picker = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');

  function send(event: FormEvent) {
    event.preventDefault();
    const files = picker.current?.files;
    const size = [...(files ?? [])].reduce((sum, file) => sum + file.size, 0);
    if (size > maxBytes) return setProblem('The files are larger than 5 MB.');
    setProblem('');
    history.replaceState(null, '', `#${chat.id}`);
    void chat.sendMessage({ text, ...(files && { files }) });
    setText('');
    if (picker.current) picker.current.value = '';
  }

  return (
    <main>
      {chat.messages.map((message) => (
        <div key={message.id}>
          <b>{message.role === 'user' ? 'You' : 'Assistant'}</b>{' '}
          {message.parts.map((part, index) => {
            if (part.type === 'text') return <span key={index}>{part.text}</span>;
            if (part.type !== 'file') return null;
            return part.mediaType.startsWith('image/') ? (
              <img key={index} src={part.url} alt={part.filename ?? 'An image'} width={200} />
            ) : (
              <a key={index} href={part.url} download={part.filename}>
                {part.filename ?? 'A file'}
              </a>
            );
          })}
        </div>
      ))}
      {problem && <p role="alert">{problem}</p>}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form onSubmit={send}>
        <input ref={picker} type="file" multiple accept="image/*,application/pdf" aria-label="Files" />
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={text === '' || chat.isBusy}>Send</button>
      </form>
    </main>
  );
}
