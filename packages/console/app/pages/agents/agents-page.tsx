import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import { type AgentSummary, agentsQuery, lastRunQuery } from './agents-query.ts';

const columns: readonly Column<AgentSummary>[] = [
  {
    name: 'Agent',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to="/agents/$agentId" params={{ agentId: id }}>
        {name}
      </Link>
    ),
  },
  {
    name: 'Description',
    width: 'minmax(10rem, 2.5fr)',
    isSecondary: true,
    cell: ({ description }) => description || '–',
  },
  { name: 'Model', width: 'minmax(6rem, 0.7fr)', isSecondary: true, cell: ({ model }) => <code>{model}</code> },
  { name: 'Tools', width: '3.5rem', isNumber: true, isSecondary: true, cell: ({ tools }) => tools.length },
  { name: 'Sub-agents', width: '5.5rem', isNumber: true, isSecondary: true, cell: ({ subAgents }) => subAgents.length },
  { name: 'Runs', width: '4rem', isNumber: true, isSecondary: true, cell: ({ id }) => <RunCount agentId={id} /> },
  { name: 'Last run', width: '7rem', isNumber: true, cell: ({ id }) => <LastRun agentId={id} /> },
];

/** The agents of the server, with what they did last, live. */
export function AgentsPage(): ReactNode {
  useLiveQueries(['agents', 'runs']);
  const isRestricted = useIsRestricted();
  const { data: agents, error, isPending, refetch } = useQuery(agentsQuery);
  return (
    <Page title="Agents" about={agents?.length} isFilled>
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Loading what="the agents" />
      ) : agents.length === 0 ? (
        <EmptyState title="No agent is registered" snippet={firstAgent}>
          An agent is a model with instructions and tools. Define one, and give it to the server:
        </EmptyState>
      ) : (
        <DataTable
          label="Agents"
          columns={isRestricted ? columns.slice(0, 2) : columns}
          rows={agents}
          rowKey={({ id }) => id}
        />
      )}
    </Page>
  );
}

function RunCount({ agentId }: { readonly agentId: string }): ReactNode {
  const { data } = useQuery(lastRunQuery(agentId));
  return data === undefined ? '' : formatCount(data.total);
}

function LastRun({ agentId }: { readonly agentId: string }): ReactNode {
  const { data } = useQuery(lastRunQuery(agentId));
  if (data === undefined) return '';
  if (data.run === undefined) return 'never';
  return (
    <>
      <StateMark state={data.run.status} isShort /> <Ago time={data.run.startedAt} />
    </>
  );
}

const firstAgent = `const assistant = new Agent({
  id: 'assistant',
  description: 'Answers questions about the product',
  instructions: 'Be brief.',
  model: openai('gpt-6-luna'),
});

await createServer({ agents: [assistant] }).listen();`;
