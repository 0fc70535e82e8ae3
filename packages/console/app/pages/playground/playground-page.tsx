import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RunAccess } from '../../access/run-access.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { agentsQuery } from '../agents/agents-query.ts';
import { playgroundSearch } from './playground-search.ts';
import { Playground } from './playground.tsx';
import { useRecordedCall } from './use-recorded-call.ts';

const route = getRouteApi('/playground');

/** Tries agents: alone, side by side, with other settings, or with a call that was recorded. */
export function PlaygroundPage(): ReactNode {
  // The router keeps values that the route has refused.
  const search = playgroundSearch(route.useSearch());
  const { data: agents, error, isPending, refetch } = useQuery(agentsQuery);
  const recorded = useRecordedCall(search.span);
  const wanted = search.agentId ?? recorded.call?.agentId;
  const agent = wanted === undefined ? agents?.[0] : agents?.find(({ id }) => id === wanted);
  const failure = error ?? recorded.error;
  if (agent !== undefined && agents !== undefined && !recorded.isLoading && failure === null) {
    // Another recorded call is another conversation.
    return <Playground key={search.span} agent={agent} agents={agents} call={recorded.call} />;
  }
  return (
    <Page title="Playground" isFilled>
      <RunAccess />
      {failure !== null ? (
        <ErrorState error={failure} onRetry={() => void refetch()} />
      ) : isPending || recorded.isLoading ? (
        <Loading what="the playground" />
      ) : agents?.length === 0 ? (
        <EmptyState
          title="No agent is registered"
          snippet={`await createServer({ agents: [new Agent({ id: 'assistant', model })] }).listen();`}
        >
          Give the server an agent, then try it here:
        </EmptyState>
      ) : (
        <EmptyState title={`No agent has the id “${wanted}”`}>
          It may have been renamed since. Choose another agent on the page Agents.
        </EmptyState>
      )}
    </Page>
  );
}
