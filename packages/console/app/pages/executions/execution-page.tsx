import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useIsOwner, useIsRestricted, useIsUser } from '../../access/credential.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { shortId } from '../../ui/format.ts';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { AuditList } from '../audit/audit-list.tsx';
import { Beside, WorkflowFrame } from '../workflows/workflow-frame.tsx';
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
import { executionAt, listForks, listMoments } from './moments.ts';
import { readExecution } from './read-execution.ts';
import { StepPanel } from './step-panel.tsx';
import { TimeSlider } from './time-slider.tsx';
import { Timeline } from './timeline.tsx';
import { useReplays } from './use-replays.ts';
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
  const { at, parent, step, tab } = route.useSearch();
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
  const change = (changed: { tab?: string; step?: string | undefined }): void => {
    void navigate({ search: (current) => ({ ...current, ...changed }), replace: true });
  };
  const keepMoment = useCallback(
    (next: string | undefined) => void navigate({ search: (current) => ({ ...current, at: next }), replace: true }),
    [navigate],
  );
  const [chosen, setChosen] = useMoment(at, keepMoment);
  const runs = useMemo(() => stepRuns(events, data, workflow?.steps), [events, data, workflow]);
  const moments = useMemo(() => listMoments(events, workflow?.steps), [events, workflow]);
  const forks = useMemo(
    () => listForks(events, moments, data?.rewinds ?? [], workflow?.steps),
    [events, moments, data, workflow],
  );
  const replays = useReplays({ executionId, workflowId }, events, moments);
  // The last moment is the present.
  const seq = chosen !== undefined && chosen < (moments.at(-1)?.seq ?? 0) ? chosen : undefined;
  const past = useMemo(
    () => (seq === undefined || data === undefined ? undefined : executionAt(events, seq, data)),
    [seq, events, data],
  );
  const shownRuns = useMemo(
    () => (past === undefined ? runs : stepRuns(past.events, past.status, workflow?.steps, past.at)),
    [past, runs, workflow],
  );
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
  const slider = (
    <TimeSlider
      workflowId={workflowId}
      ownId={executionId}
      moments={moments}
      forks={forks}
      replays={replays}
      value={seq}
      onChange={setChosen}
    />
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
      <WorkflowFrame workflowId={workflowId} shown={[executionId]}>
        <ExecutionFacts execution={data} parentWorkflowId={parent} />
        <FailureNotice execution={data} onStep={select} />
        <Beside
          first={
            past === undefined &&
            data.suspensions.length > 0 &&
            data.suspensions.map((suspension) => (
              <WaitingPanel
                key={suspension.suspensionId}
                execution={data}
                suspension={suspension}
                isOnly={data.suspensions.length === 1}
              />
            ))
          }
          beside={
            step !== undefined && (
              <StepPanel
                execution={data}
                workflow={workflow}
                runs={runs}
                shownRuns={shownRuns}
                stepPath={step}
                onClose={() => select(undefined)}
              />
            )
          }
        >
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
                      <div className={styles.moving}>
                        {slider}
                        <ExecutionGraph
                          execution={data}
                          workflow={workflow}
                          runs={shownRuns}
                          at={past?.at}
                          selectedId={step}
                          onSelect={select}
                        />
                      </div>
                    ),
                  },
                  {
                    name: 'timeline',
                    title: 'Timeline',
                    content: (
                      <div className={styles.moving}>
                        {slider}
                        <Timeline
                          execution={data}
                          workflow={workflow}
                          runs={runs}
                          at={past?.at}
                          selectedId={step}
                          onSelect={select}
                        />
                      </div>
                    ),
                  },
                  { name: 'events', title: 'Events', content: <EventList events={events} /> },
                  { name: 'data', title: 'Input and result', content: <ExecutionData execution={data} /> },
                  { name: 'logs', title: 'Logs', content: <ExecutionLogs executionId={executionId} /> },
                  {
                    name: 'audit',
                    title: 'Audit',
                    content: (
                      <AuditList search={{ target: executionId }} empty="No person has changed this execution" />
                    ),
                  },
                ] satisfies readonly Tab<TabName>[]
              ).filter(({ name }) => shown.includes(name))}
            />
          )}
        </Beside>
      </WorkflowFrame>
    </Page>
  );
}

/** How long the slider must rest before the address says where. */
const restMs = 300;

/** The moment in the address, by the number of its event. A slider that moves does not wait for it. */
function useMoment(
  inAddress: string | undefined,
  onRest: (at: string | undefined) => void,
): readonly [number | undefined, (seq: number | undefined) => void] {
  const [at, setAt] = useState(inAddress);
  useEffect(() => setAt(inAddress), [inAddress]);
  useEffect(() => {
    if (at === inAddress) return undefined;
    const timer = setTimeout(() => onRest(at), restMs);
    return () => clearTimeout(timer);
  }, [at, inAddress, onRest]);
  const seq = Number(at);
  return [Number.isSafeInteger(seq) && seq > 0 ? seq : undefined, (next) => setAt(next?.toString())];
}
