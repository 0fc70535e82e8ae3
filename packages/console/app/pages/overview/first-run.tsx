import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/link-button.tsx';
import { EmptyState, Loading } from '../../ui/notice.tsx';
import { agentsQuery } from '../agents/agents-query.ts';
import { TalkTo } from '../agents/talk-to.tsx';
import { toolsQuery } from '../tools/tools-query.ts';
import { workflowsQuery } from '../workflows/workflows-query.ts';
import styles from './first-run.module.css';

/** Stands in for the numbers of a server that has recorded nothing yet. */
export function FirstRun({ isRecording }: { readonly isRecording: boolean }): ReactNode {
  const agents = useQuery({ ...agentsQuery, enabled: isRecording });
  const workflows = useQuery({ ...workflowsQuery, enabled: isRecording });
  // The suggestions are made from them: nothing moves when they come.
  const tools = useQuery({ ...toolsQuery, enabled: isRecording });
  if (!isRecording)
    return (
      <EmptyState title="Nothing is recorded" snippet={recording}>
        The server was started with the option telemetry: false. Without it, each run is recorded and counted:
      </EmptyState>
    );
  if (agents.isPending || workflows.isPending || tools.isPending) return <Loading what="the agents" />;
  const hasAgents = agents.data !== undefined && agents.data.length > 0;
  const started = workflows.data ?? [];
  if (!hasAgents && started.length === 0)
    return (
      <EmptyState title="No run has been recorded yet" snippet={firstAgent}>
        Requests, latency, tokens and cost appear here as soon as an agent or a workflow has run. Add an agent to the
        server:
      </EmptyState>
    );
  return (
    <section className={styles.first}>
      <header>
        <h2>No run has been recorded yet</h2>
        <p>
          {hasAgents ? 'Ask a question to begin. ' : 'Start a workflow to begin. '}
          Requests, latency, tokens and cost appear here.
        </p>
      </header>
      {hasAgents && <TalkTo />}
      {started.length > 0 && (
        <p className={styles.workflows}>
          {started.slice(0, 3).map(({ id, name }) => (
            <LinkButton key={id} to="/workflows/$workflowId" params={{ workflowId: id }} icon="workflows">
              Start {name}
            </LinkButton>
          ))}
        </p>
      )}
      <ol className={styles.path}>
        <li>
          <b>Ask</b>
          <span>The reply streams, with each tool that it calls.</span>
        </li>
        <li>
          <b>Approve</b>
          <span>A call that needs your approval waits for it, in the chat and in Approvals.</span>
        </li>
        <li>
          <b>See what it did</b>
          <span>Below each reply is its trace: steps, tokens, cost and time.</span>
        </li>
      </ol>
    </section>
  );
}

const recording = `createServer({
  agents: [assistant],
  telemetry: {},
})`;

const firstAgent = `import { openai } from '@ai-sdk/openai';
import { Agent } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';

const assistant = new Agent({
  id: 'assistant',
  description: 'Answers questions',
  instructions: 'Answer in one sentence.',
  model: openai('gpt-5-mini'),
});
const server = await createServer({ agents: [assistant] });
await server.listen();`;
