import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { RunAccess } from '../../access/run-access.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { ToolRunner } from './tool-runner.tsx';
import { toolsQuery } from './tools-query.ts';

const route = getRouteApi('/tools/$toolName');

/** One tool: what it does, who uses it, and a form to run it. */
export function ToolPage(): ReactNode {
  const { toolName } = route.useParams();
  const isRestricted = useIsRestricted();
  const { data: tools, error, isPending, refetch } = useQuery(toolsQuery);
  const tool = tools?.find(({ name }) => name === toolName);
  return (
    <Page title={<code>{toolName}</code>} tabTitle={toolName} isFilled {...(tool && { about: tool.description })}>
      <RunAccess />
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Loading what="the tool" />
      ) : tool === undefined ? (
        <EmptyState title="No tool has this name">
          <>
            Perhaps it was renamed. <Link to="/tools">All tools</Link>
          </>
        </EmptyState>
      ) : (
        <ToolRunner
          key={toolName}
          tool={tool}
          agents={
            isRestricted
              ? undefined
              : tool.agents.length === 0
                ? 'no agent'
                : tool.agents.map(({ id, name }, index) => (
                    <Fragment key={id}>
                      {index > 0 && ', '}
                      <Link to="/agents/$agentId" params={{ agentId: id }}>
                        {name}
                      </Link>
                    </Fragment>
                  ))
          }
        />
      )}
    </Page>
  );
}
