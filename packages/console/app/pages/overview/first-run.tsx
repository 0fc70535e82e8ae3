import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { TalkTo } from '../agents/talk-to.tsx';

/** Stands in for the numbers of a server that has recorded nothing yet. */
export function FirstRun({ isRecording }: { readonly isRecording: boolean }): ReactNode {
  const { data: agents } = useQuery({
    queryKey: ['overview', 'agents'],
    queryFn: ({ signal }) => readData(api.GET('/agents', { signal })),
    enabled: isRecording,
  });
  if (!isRecording)
    return (
      <EmptyState title="Nothing is recorded" snippet={recording}>
        The server was started with the option telemetry: false. Without it, each run is recorded and counted:
      </EmptyState>
    );
  const agent = agents?.[0];
  return (
    <EmptyState
      title="No run has been recorded yet"
      {...(agent === undefined ? { snippet: firstAgent } : { action: <TalkTo /> })}
    >
      {agent === undefined
        ? 'Requests, latency, tokens and cost appear here as soon as an agent or a workflow has run. Add an agent to the server:'
        : 'Requests, latency, tokens and cost appear here as soon as an agent or a workflow has run.'}
    </EmptyState>
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
