import { type Client, createClient } from '@halyard/client';
import { ChatApp } from '@halyard/example-with-vite-chat/chat-app';
import { type ReactNode, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { userId } from './user.ts';

const client = createClient({ baseUrl: '' });

type AgentSummary = Awaited<ReturnType<typeof listAgents>>[number];

/** Questions to try, by agent. */
const questions: Readonly<Record<string, readonly string[]>> = {
  assistant: ['What time is it in Tokyo?', 'Convert 26.2 miles to kilometres', 'Note: buy oars', 'Delete all notes'],
  // It delegates to the assistant.
  concierge: ['What time is it in Lisbon?', 'Convert 26.2 miles to kilometres'],
};

function ChatPage(): ReactNode {
  const [agents, setAgents] = useState<readonly AgentSummary[]>([]);
  const [agentId, setAgentId] = useState(() => new URLSearchParams(location.search).get('agent') ?? 'assistant');
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    listAgents(client).then(setAgents, (error: unknown) => setProblem(String(error)));
  }, []);
  /** `/chat?agent=concierge` opens the page with that agent. */
  const select = (id: string): void => {
    history.pushState(null, '', `?${new URLSearchParams({ agent: id })}`);
    setAgentId(id);
  };

  if (problem !== undefined)
    return (
      <p className="notice" role="alert">
        The agents could not be loaded. Check that the server is running, then reload the page. ({problem})
      </p>
    );
  const agent = agents.find(({ id }) => id === agentId) ?? agents[0];
  if (agent === undefined) return null;
  const picker = (
    <select aria-label="Agent" value={agent.id} onChange={(event) => select(event.target.value)}>
      {agents.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
  const welcome = (
    <>
      <h2>{agent.name}</h2>
      <p>{agent.description}.</p>
    </>
  );
  return (
    <ChatApp
      key={agent.id}
      client={client}
      agentId={agent.id}
      userId={userId}
      footer={<Links />}
      look={{
        brand: <Brand />,
        tools: picker,
        speaker: agent.name,
        placeholder: 'Write a message',
        welcome,
        questions: questions[agent.id] ?? [],
        note:
          agent.model === 'demo'
            ? 'Demo model. Set OPENAI_API_KEY to use a real one.'
            : `Model: ${agent.model}. Answers can be wrong.`,
      }}
    />
  );
}

async function listAgents({ api }: Client) {
  const { data } = await api.GET('/agents');
  return data?.data ?? [];
}

function Brand(): ReactNode {
  return (
    <a href="/">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" />
      </svg>
      Halyard
    </a>
  );
}

function Links(): ReactNode {
  return (
    <p className="links">
      <a href="/">Start page</a>
      <a href="/expenses">Expenses</a>
      <a href="/ui">API explorer</a>
      <a href="/doc">OpenAPI</a>
      <a href="/console/traces">Traces</a>
    </p>
  );
}

const root = document.querySelector('#chat');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <ChatPage />
    </StrictMode>,
  );
}
