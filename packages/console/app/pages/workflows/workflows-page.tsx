import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsUser } from '../../access/credential.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { useExecutionCount } from '../executions/use-execution-list.ts';
import { type WorkflowSummary, workflowsQuery } from './workflows-query.ts';
import styles from './workflow.module.css';

const columns: readonly Column<WorkflowSummary>[] = [
  {
    name: 'Workflow',
    width: 'minmax(7rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to="/workflows/$workflowId" params={{ workflowId: id }}>
        {name}
      </Link>
    ),
  },
  { name: 'Purpose', width: 'minmax(10rem, 2.5fr)', isSecondary: true, cell: ({ purpose }) => purpose },
  { name: 'Steps', width: '4rem', isNumber: true, isSecondary: true, cell: ({ stepsCount }) => stepsCount },
  { name: 'Running', width: '4.5rem', isNumber: true, cell: ({ id }) => <Count workflowId={id} status="running" /> },
  { name: 'Waiting', width: '4.5rem', isNumber: true, cell: ({ id }) => <Count workflowId={id} status="suspended" /> },
  { name: 'Failed', width: '4.5rem', isNumber: true, cell: ({ id }) => <Count workflowId={id} status="error" /> },
];

/** How many executions of a workflow are in a state, with a link to them. */
function Count({ status, workflowId }: { readonly workflowId: string; readonly status: string }): ReactNode {
  const count = useExecutionCount({ workflowId, status });
  if (count === undefined) return '';
  if (count === 0) return '–';
  return (
    <Link to="/executions" search={{ workflowId, status }} aria-label={`${count} ${status}`} className={styles.above}>
      <StateMark state={status} isShort /> {formatCount(count)}
    </Link>
  );
}

/** The workflows of the app. */
export function WorkflowsPage(): ReactNode {
  useLiveQueries(['workflows']);
  const isUser = useIsUser();
  const { data, error, refetch } = useQuery(workflowsQuery);
  return (
    <Page title="Workflows" about={data && formatCount(data.length)} isFilled>
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the workflows" />
      ) : data.length === 0 ? (
        <EmptyState title="The app has no workflows" snippet={firstWorkflow}>
          A workflow is a chain of recorded steps, which continues where it left off. Add the first one to your server:
        </EmptyState>
      ) : (
        <DataTable
          label="Workflows"
          columns={isUser ? columns.slice(0, 2) : columns}
          rows={data}
          rowKey={({ id }) => id}
          total={data.length}
        />
      )}
    </Page>
  );
}

const firstWorkflow = `import { createWorkflow } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const greeting = createWorkflow({ id: 'greeting', input: Type.Object({ name: Type.String() }) })
  .andThen({ id: 'greet', execute: ({ data }) => \`Hello \${data.name}\` });

const server = await createServer({ workflows: [greeting] });`;
