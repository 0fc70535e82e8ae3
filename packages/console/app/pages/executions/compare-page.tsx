import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { components } from '../../api/schema.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { classes } from '../../ui/classes.ts';
import { FilterToggle } from '../../ui/filters.tsx';
import { formatAttempt, shortId } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { WorkflowFrame } from '../workflows/workflow-frame.tsx';
import { workflowQuery } from '../workflows/workflows-query.ts';
import { alignRuns, type ComparedStep, differences } from './compare.ts';
import { useExecutionEvents } from './execution-events.ts';
import { stateOf } from './execution-filter.ts';
import { lastAttemptMs, stepRuns, type StepRun } from './execution-model.ts';
import { ExecutionPicker } from './execution-picker.tsx';
import { readExecution } from './read-execution.ts';
import styles from './compare.module.css';

const route = getRouteApi('/compare/$workflowId');

/** Two executions of a workflow, step by step, with what differs. */
export function ComparePage(): ReactNode {
  const { workflowId } = route.useParams();
  const { left, right } = route.useSearch();
  const navigate = route.useNavigate();
  useLiveQueries(['executions', 'one']);
  const [isDifferent, setDifferent] = useState(false);
  const one = useExecution(workflowId, left);
  const other = useExecution(workflowId, right);
  const choose = (changed: { left?: string; right?: string }): void => {
    void navigate({ search: (current) => ({ ...current, ...changed }), replace: true });
  };
  const error = one.error ?? other.error;
  const steps = alignRuns(
    one.runs,
    other.runs,
    isReplay(one.execution, right) ? 'left' : isReplay(other.execution, left) ? 'right' : undefined,
  );
  const changed = steps.filter(({ isSame }) => !isSame);
  return (
    <Page
      title="Compare executions"
      about={
        <Link to="/workflows/$workflowId" params={{ workflowId }}>
          {workflowId}
        </Link>
      }
      bar={
        <>
          <ExecutionPicker label="Left" workflowId={workflowId} value={left} onChange={(id) => choose({ left: id })} />
          <ExecutionPicker
            label="Right"
            workflowId={workflowId}
            value={right}
            onChange={(id) => choose({ right: id })}
          />
          <FilterToggle isOn={isDifferent} onChange={setDifferent}>
            Only differences
          </FilterToggle>
        </>
      }
      isFilled
    >
      <WorkflowFrame workflowId={workflowId} shown={[left, right].filter((id) => id !== undefined)}>
        {left === undefined || right === undefined ? (
          <EmptyState title="Choose two executions">Their steps are shown side by side, with what differs.</EmptyState>
        ) : error !== null ? (
          <ErrorState error={error} />
        ) : one.execution === undefined || other.execution === undefined ? (
          <Loading what="the executions" />
        ) : (
          <>
            <p className={styles.summary} role="status">
              {changed.length === 0
                ? 'All steps have the same input, output and state.'
                : `${changed.length} of ${steps.length} steps differ; the first is “${changed[0]?.instance ?? ''}”.`}
            </p>
            <div className={styles.table} role="table" aria-label="Comparison">
              <div className={styles.row} role="row">
                <span role="columnheader" />
                {[one.execution, other.execution].map((execution) => (
                  <span key={execution.executionId} role="columnheader" className={styles.side}>
                    <Link
                      to="/executions/$workflowId/$executionId"
                      params={{ workflowId, executionId: execution.executionId }}
                      title={execution.executionId}
                    >
                      {shortId(execution.executionId)}
                    </Link>
                    <StateMark state={stateOf(execution)} />
                  </span>
                ))}
              </div>
              <Pair title="Input" left={one.execution.input} right={other.execution.input} isShown={isDifferent} />
              {(isDifferent ? changed : steps).map((step) => (
                <Step key={step.instance} step={step} />
              ))}
              <Pair title="Result" left={one.execution.output} right={other.execution.output} isShown={isDifferent} />
            </div>
          </>
        )}
      </WorkflowFrame>
    </Page>
  );
}

function isReplay(execution: components['schemas']['ExecutionState'] | undefined, id: string | undefined): boolean {
  return id !== undefined && execution?.metadata['replayedFrom'] === id;
}

function useExecution(workflowId: string, executionId = '') {
  const { data, error } = useQuery({
    queryKey: ['executions', 'one', executionId],
    queryFn: ({ signal }) => readExecution({ id: workflowId, executionId }, signal),
    enabled: executionId !== '',
  });
  const { events } = useExecutionEvents(workflowId, executionId, data);
  const { data: workflow } = useQuery({ ...workflowQuery(workflowId), retry: false });
  return { execution: data, error, runs: stepRuns(events, data, workflow?.steps) };
}

function Step({ step: { instance, isSame, left, right, takenOverBy } }: { readonly step: ComparedStep }): ReactNode {
  const [isToggled, setToggled] = useState(false);
  // Differences are open at first.
  const isOpen = isToggled === isSame;
  return (
    <div className={classes(styles.row, !isSame && styles.differs)} role="row">
      <span role="rowheader" className={styles.name}>
        <button type="button" aria-expanded={isOpen} onClick={() => setToggled(!isToggled)}>
          {instance}
        </button>
        {!isSame && <small>differs</small>}
      </span>
      <Side run={left} other={right} isOpen={isOpen} isTakenOver={takenOverBy === 'left'} />
      <Side run={right} other={left} isOpen={isOpen} isTakenOver={takenOverBy === 'right'} />
    </div>
  );
}

function Side({
  isOpen,
  isTakenOver,
  other,
  run,
}: {
  readonly run: StepRun | undefined;
  readonly other: StepRun | undefined;
  readonly isOpen: boolean;
  readonly isTakenOver: boolean;
}): ReactNode {
  if (run === undefined)
    return (
      <span role="cell" className={styles.soft}>
        {isTakenOver ? 'Taken over from the execution that it replays' : 'Did not run'}
      </span>
    );
  return (
    <div role="cell" className={styles.cell}>
      <p className={styles.facts}>
        <StateMark state={run.state} />
        <span>{run.endedAt !== undefined && formatAttempt(lastAttemptMs(run, run.endedAt))}</span>
        {run.attempts.length > 0 && <span>{run.attempts.length + 1} attempts</span>}
      </p>
      {isOpen && (
        <>
          {run.error !== undefined && <p className={styles.error}>{run.error}</p>}
          <Value title="Input" value={run.input} other={other?.input} isKnown={other !== undefined} />
          {run.output !== undefined && (
            <Value title="Output" value={run.output} other={other?.output} isKnown={other !== undefined} />
          )}
        </>
      )}
    </div>
  );
}

/** A value, with the places where the other one has something else. */
function Value({
  isKnown,
  other,
  title,
  value,
}: {
  readonly title: string;
  readonly value: unknown;
  readonly other: unknown;
  readonly isKnown: boolean;
}): ReactNode {
  const places = isKnown ? differences(value, other) : [];
  return (
    <>
      <h3>
        {title}
        {places.length > 0 && (
          <mark>
            {places
              .slice(0, 6)
              .map((place) => (place === '' ? 'all of it' : place))
              .join(', ')}
            {places.length > 6 && ` and ${places.length - 6} more`}
          </mark>
        )}
      </h3>
      <JsonView value={value} label={title} depth={places.length > 0 ? 4 : 1} />
    </>
  );
}

function Pair({
  isShown,
  left,
  right,
  title,
}: {
  readonly title: string;
  readonly left: unknown;
  readonly right: unknown;
  /** Whether equal values are left out. */
  readonly isShown: boolean;
}): ReactNode {
  const isSame = differences(left, right).length === 0;
  if (isShown && isSame) return null;
  return (
    <div className={classes(styles.row, !isSame && styles.differs)} role="row">
      <span role="rowheader" className={styles.name}>
        <b>{title}</b>
        {!isSame && <small>differs</small>}
      </span>
      <div role="cell" className={styles.cell}>
        <PairSide title={title} value={left} other={right} />
      </div>
      <div role="cell" className={styles.cell}>
        <PairSide title={title} value={right} other={left} />
      </div>
    </div>
  );
}

function PairSide({
  other,
  title,
  value,
}: {
  readonly title: string;
  readonly value: unknown;
  readonly other: unknown;
}): ReactNode {
  if (value === undefined) return <span className={styles.soft}>None yet</span>;
  return <Value title={title} value={value} other={other} isKnown={other !== undefined} />;
}
