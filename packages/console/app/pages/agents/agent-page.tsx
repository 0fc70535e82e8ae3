import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { LinkButton } from '../../ui/link-button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AgentAbout } from './agent-about.tsx';
import { AgentGraph } from './agent-graph-lazy.tsx';
import { AgentRuns } from './agent-runs.tsx';
import { AgentTools } from './agent-tools.tsx';
import { agentsQuery } from './agents-query.ts';
import styles from './agents.module.css';

const route = getRouteApi('/agents/$agentId');
const tabNames = ['about', 'tools', 'team', 'runs'] as const;

/**
 * One agent: where its behaviour comes from, what it can call, to whom it delegates, and what it
 * did.
 */
export function AgentPage(): ReactNode {
  const { agentId } = route.useParams();
  const search = route.useSearch();
  const isRestricted = useIsRestricted();
  const navigate = route.useNavigate();
  useLiveQueries(['agents', 'runs', agentId, 'last']);
  const { data: agents, error, isPending, refetch } = useQuery(agentsQuery);
  const agent = agents?.find(({ id }) => id === agentId);
  const tab = tabNames.find((name) => name === search.tab) ?? 'about';
  return (
    <Page
      title={agent?.name ?? agentId}
      isFilled
      {...(agent && { about: agent.description })}
      actions={
        agent && (
          <LinkButton to="/playground" search={{ agentId }} look="main" icon="play">
            Try it
          </LinkButton>
        )
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Loading what="the agent" />
      ) : agent === undefined ? (
        <EmptyState title="No agent has this id">
          <>
            Perhaps it was renamed. <Link to="/agents">All agents</Link>
          </>
        </EmptyState>
      ) : isRestricted ? (
        <EmptyState title={`${agent.name} answers your messages`}>
          <>
            Try it in the playground, or read{' '}
            <Link to="/conversations" search={{ agentId }}>
              your conversations with it
            </Link>
            . How it works is shown to the console key.
          </>
        </EmptyState>
      ) : (
        <div className={styles.tabs}>
          <Tabs
            label={`About ${agent.name}`}
            value={tab}
            onChange={(next) => void navigate({ search: next === 'about' ? {} : { tab: next }, replace: true })}
            tabs={[
              { name: 'about', title: 'About', content: <AgentAbout agent={agent} /> },
              { name: 'tools', title: `Tools ${agent.tools.length}`, content: <AgentTools agent={agent} /> },
              {
                name: 'team',
                title: `Sub-agents ${agent.subAgents.length}`,
                content: <AgentGraph agentId={agentId} agents={agents} />,
              },
              { name: 'runs', title: 'Runs', content: <AgentRuns agentId={agentId} /> },
            ]}
          />
        </div>
      )}
    </Page>
  );
}
