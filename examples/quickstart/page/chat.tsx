import { type ReactNode, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { type AgentSummary, agentInUrl, listAgents, showAgentInUrl } from './chat/agents.ts';
import { Workspace } from './chat/workspace.tsx';

function ChatPage(): ReactNode {
  const [agents, setAgents] = useState<readonly AgentSummary[]>();
  const [agentId, setAgentId] = useState(agentInUrl);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    listAgents().then(setAgents, (error: unknown) => setProblem(String(error)));
  }, []);
  const select = (id: string): void => {
    setAgentId(id);
    showAgentInUrl(id);
  };

  if (problem !== undefined) {
    return (
      <p className="fatal" role="alert">
        The agents could not be loaded. Check that the server is running, then reload the page. ({problem})
      </p>
    );
  }
  const agent = agents?.find(({ id }) => id === agentId) ?? agents?.[0];
  if (agents === undefined || agent === undefined) return null;
  return <Workspace key={agent.id} agent={agent} agents={agents} onSelectAgent={select} />;
}

const root = document.querySelector('#chat');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <ChatPage />
    </StrictMode>,
  );
}
