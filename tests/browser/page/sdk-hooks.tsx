import { useChat, useCompletion, useObject } from '@ai-sdk/react';
import { TextStreamChatTransport } from 'ai';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';

const headers = { accept: 'text/plain' };
const person = z.object({ name: z.string(), age: z.number() });

function ObjectPage(): ReactNode {
  const { error, isLoading, object, submit } = useObject({
    api: '/agents/typist/stream-object',
    schema: person,
    headers,
  });
  const ask = (): void => submit({ input: 'Who?', schema: z.toJSONSchema(person) });
  return <Answer text={JSON.stringify(object)} error={error} isLoading={isLoading} ask={ask} />;
}

function Completion({ isText }: { readonly isText: boolean }): ReactNode {
  const { complete, completion, error, isLoading } = useCompletion(
    isText ? { api: '/agents/greeter/stream', headers, streamProtocol: 'text' } : { api: '/agents/greeter/chat' },
  );
  return <Answer text={completion} error={error} isLoading={isLoading} ask={() => void complete('Hi')} />;
}

const transport = new TextStreamChatTransport({ api: '/agents/greeter/stream', headers });

function TextChat(): ReactNode {
  const { error, messages, sendMessage, status } = useChat({ transport });
  const answers = messages.filter(({ role }) => role === 'assistant');
  const text = answers
    .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    .join('|');
  const isLoading = status === 'submitted' || status === 'streaming';
  return <Answer text={text} error={error} isLoading={isLoading} ask={() => void sendMessage({ text: 'Hi' })} />;
}

interface Shown {
  readonly text: string | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly ask: () => void;
}

function Answer({ ask, error, isLoading, text = '' }: Shown): ReactNode {
  return (
    <>
      <p role="status">{isLoading ? 'loading' : 'ready'}</p>
      <p className="answer">{text}</p>
      <p role="alert">{error?.message}</p>
      <button onClick={ask}>Ask</button>
    </>
  );
}

const views: Readonly<Record<string, ReactNode>> = {
  '/object-hook': <ObjectPage />,
  '/completion-hook': <Completion isText={false} />,
  '/text-completion-hook': <Completion isText />,
  '/text-chat-hook': <TextChat />,
};
const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<StrictMode>{views[location.pathname]}</StrictMode>);
