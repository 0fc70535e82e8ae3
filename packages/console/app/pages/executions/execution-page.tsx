import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useIsOwner, useIsRestricted, useIsUser } from '../../access/credential.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { shortId } from '../../ui/format.ts';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Split } from '../../ui/side-panel.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { AuditList } from '../audit/audit-list.tsx';
import { workflowQuery } from '../workflows/workflows-query.ts';
import { EventList } from './event-list.tsx';
import { ExecutionActions } from './execution-actions.tsx';
import { ExecutionData } from './execution-data.tsx';
import { useExecutionEvents } from './execution-events.ts';
import { ExecutionFacts } from './execution-facts.tsx';
import { stateOf } from './execution-filter.ts';
import { ExecutionGraph } from './execution-graph.tsx';
import { ExecutionLogs } from './execution-logs.tsx';
import { stepRuns } from './execution-model.ts';
import { FailureNotice } from './failure-notice.tsx';
import { readExecution } from './read-execution.ts';
import { StepPanel } from './step-panel.tsx';
import { Timeline } from './timeline.tsx';
import { WaitingPanel } from './waiting-panel.tsx';
import styles from './execution.module.css';

const route = getRouteApi('/executions/$workflowId/$executionId');
const tabNames = ['steps', 'timeline', 'events', 'data', 'logs', 'audit'] as const;
/** How often an execution that has not ended is read again. */
const pollMs = 3_000;
type TabName = (typeof tabNames)[number];

/** One execution: what has happened, what it waits for, and what can be done with it. */
export function ExecutionPage(): ReactNode {
  const { executionId, workflowId } = route.useParams();
  const { parent, step, tab } = route.useSearch();
  const isUser = useIsUser();
  const isRestricted = useIsRestricted();
  // A user's token does not open the definition of the workflow, and a limited role not the log.
  const isHidden: Partial<Record<TabName, boolean>> = { steps: isUser, logs: isRestricted, audit: !useIsOwner() };
  const shown = tabNames.filter((name) => isHidden[name] !== true);
  const navigate = route.useNavigate();
  useLiveQueries(['executions', 'one', executionId]);
  const { data, error, refetch } = useQuery({
    queryKey: ['executions', 'one', executionId],
    queryFn: ({ signal }) => readExecution({ id: workflowId, executionId }, signal),
    // The live channel tells what happens on this server only; others may continue the execution.
    refetchInterval: ({ state }) => (state.data?.endAt === null ? pollMs : false),
  });
  const { data: workflow } = useQuery({ ...workflowQuery(workflowId), retry: false });
  const { error: eventsError, events, isLoaded } = useExecutionEvents(workflowId, executionId, data);
  const runs = useMemo(() => stepRuns(events, data, workflow?.steps), [events, data, workflow]);
  const change = (changed: { tab?: string; step?: string | undefined }): void => {
    void navigate({ search: (current) => ({ ...current, ...changed }), replace: true });
  };
  const select = (id: string | undefined): void => change({ step: id });
  if (data === undefined) {
    return (
      <Page title={shortId(executionId)}>
        {error === null ? (
          <Loading what="the execution" />
        ) : (
          <ErrorState
            error={error}
            onRetry={() => void refetch()}
            back={<Link to="/executions">All executions</Link>}
          />
        )}
      </Page>
    );
  }
  const panel = step !== undefined && (
    <StepPanel execution={data} workflow={workflow} runs={runs} stepPath={step} onClose={() => select(undefined)} />
  );
  return (
    <Page
      title={
        <Link to="/workflows/$workflowId" params={{ workflowId }} className={styles.name}>
          {data.workflowName}
        </Link>
      }
      tabTitle={`${data.workflowName} ${shortId(executionId)}`}
      isFilled
      about={
        <span className={styles.about}>
          <StateMark state={stateOf(data)} />
          <code>{executionId}</code>
          <CopyButton text={executionId} label="Copy the id" />
        </span>
      }
      actions={<ExecutionActions execution={data} workflow={workflow} runs={runs} />}
    >
      <div className={styles.page}>
        <ExecutionFacts execution={data} parentWorkflowId={parent} />
        <FailureNotice execution={data} onStep={select} />
        {data.suspensions.map((suspension) => (
          <WaitingPanel
            key={suspension.suspensionId}
            execution={data}
            suspension={suspension}
            isOnly={data.suspensions.length === 1}
          />
        ))}
        {eventsError !== undefined && events.length === 0 ? (
          <ErrorState error={eventsError} onRetry={() => void refetch()} />
        ) : !isLoaded ? (
          <Loading what="the events" />
        ) : (
          <Tabs<TabName>
            label="Parts of the execution"
            value={shown.find((name) => name === tab) ?? shown[0] ?? 'timeline'}
            onChange={(name) => change({ tab: name })}
            tabs={(
              [
                {
                  name: 'steps',
                  title: 'Steps',
                  content: (
                    <Split>
                      <ExecutionGraph
                        execution={data}
                        workflow={workflow}
                        runs={runs}
                        selectedId={step}
                        onSelect={select}
                      />
                      {panel}
                    </Split>
                  ),
                },
                {
                  name: 'timeline',
                  title: 'Timeline',
                  content: (
                    <Split>
                      <Timeline execution={data} runs={runs} selectedId={step} onSelect={select} />
                      {panel}
                    </Split>
                  ),
                },
                { name: 'events', title: 'Events', content: <EventList events={events} /> },
                { name: 'data', title: 'Input and result', content: <ExecutionData execution={data} /> },
                { name: 'logs', title: 'Logs', content: <ExecutionLogs executionId={executionId} /> },
                {
                  name: 'audit',
                  title: 'Audit',
                  content: <AuditList search={{ target: executionId }} empty="No person has changed this execution" />,
                },
              ] satisfies readonly Tab<TabName>[]
            ).filter(({ name }) => shown.includes(name))}
          />
        )}
      </div>
    </Page>
  );
}
