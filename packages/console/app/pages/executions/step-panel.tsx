import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMayOperate } from '../../access/credential.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatClock, formatDuration, shortId } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { nameOfStep } from '../workflows/workflow-graph.ts';
import { useSubWorkflows } from './execution-graph.tsx';
import { lastAttemptMs, toStepName, type StepRun } from './execution-model.ts';
import { RerunDialog } from './rerun-dialog.tsx';
import { useFailures } from './use-failures.ts';
import styles from './execution.module.css';

type ExecutionState = components['schemas']['ExecutionState'];
type WorkflowDetail = components['schemas']['WorkflowDetail'];

/** More runs than this are shown on demand: a loop can have thousands. */
const fewRuns = 20;

/** The runs of one step, with their inputs and outputs. */
export function StepPanel({
  execution,
  onClose,
  runs,
  shownRuns,
  stepPath,
  workflow,
}: {
  readonly execution: ExecutionState;
  readonly workflow: WorkflowDetail | undefined;
  /** The runs as they are now, of which each can be repeated. */
  readonly runs: readonly StepRun[];
  /** The runs at the moment that the page shows. */
  readonly shownRuns: readonly StepRun[];
  /** The path of a step in the graph, or one of its instances. */
  readonly stepPath: string;
  readonly onClose: () => void;
}): ReactNode {
  const name = stepPath.split('/').at(-1) ?? stepPath;
  const [stepId, ...items] = name.split(':');
  const title = [nameOfStep(workflow?.steps ?? [], stepId ?? name), ...items].join(' ');
  const isInstance = name.includes(':');
  const own = shownRuns.filter((run) => (isInstance ? run.instance === name : run.stepId === toStepName(name)));
  const [shown, setShown] = useState(fewRuns);
  const mayOperate = useMayOperate(execution.userId);
  const failures = useFailures(execution);
  const [asked, setAsked] = useState<{ action: 'rewind' | 'replay'; instance: string }>();
  const children = useSubWorkflows(execution, own.some(({ type }) => type === 'andWorkflow') || own.length === 0);
  const inside = children.filter(({ parentStep = '' }) =>
    parentStep
      .split('/')
      .some((each) => toStepName(each) === toStepName(name) || stepPath.startsWith(`${toStepName(each)}/`)),
  );
  return (
    <SidePanel title={title} label={`Step ${title}`} closeLabel="Close the step" onClose={onClose}>
      {inside.map(({ id, status, workflowId, workflowName }) => (
        <p key={id} className={styles.child}>
          <StateMark state={status} />
          <Link
            to="/executions/$workflowId/$executionId"
            params={{ workflowId, executionId: id }}
            search={{ parent: execution.workflowId }}
          >
            {workflowName} {shortId(id)}
          </Link>
        </p>
      ))}
      {own.length === 0 && inside.length === 0 && <p className={styles.soft}>This step has not started.</p>}
      {own
        .slice(-shown)
        .toReversed()
        .map((run) => (
          <RunDetails
            key={`${run.instance} ${run.startedAt}`}
            run={run}
            reasons={failures.reasonsOf(run)}
            isAlone={own.length === 1}
            canRewind={execution.status === 'suspended'}
            onRerun={
              workflow && mayOperate && isCurrent(run, runs)
                ? (action) => setAsked({ action, instance: run.instance })
                : undefined
            }
          />
        ))}
      {own.length > shown && (
        <Button look="quiet" onClick={() => setShown(shown + 5 * fewRuns)}>
          Show earlier runs: {own.length - shown}
        </Button>
      )}
      {asked !== undefined && workflow !== undefined && (
        <RerunDialog
          {...asked}
          execution={execution}
          workflow={workflow}
          runs={runs}
          onClose={() => setAsked(undefined)}
        />
      )}
    </SidePanel>
  );
}

/** Whether a rewind or a retry has not replaced the run since. */
function isCurrent({ instance, startedAt }: StepRun, runs: readonly StepRun[]): boolean {
  return runs.some((run) => run.instance === instance && run.startedAt === startedAt && !run.isSuperseded);
}

function RunDetails({
  canRewind,
  isAlone,
  onRerun,
  reasons,
  run,
}: {
  readonly run: StepRun;
  /** Why its attempts failed, in the words of the errors that the step threw. */
  readonly reasons: readonly string[];
  readonly isAlone: boolean;
  readonly canRewind: boolean;
  readonly onRerun: ((action: 'rewind' | 'replay') => void) | undefined;
}): ReactNode {
  const { attempts, endedAt, error, input, instance, isSuperseded, isUndone, notes, output, pauses, startedAt, state } =
    run;
  return (
    <section className={styles.runDetails} aria-label={`Run of ${instance}`}>
      <div className={styles.runHead}>
        <StateMark state={state} />
        {!isAlone && <code>{instance}</code>}
        {isSuperseded && <span className={styles.soft}>ran again later</span>}
        {isUndone && <span className={styles.soft}>undone</span>}
      </div>
      <Facts
        facts={{
          Started: formatClock(startedAt),
          ...(endedAt !== undefined && listDurations(run, endedAt)),
          Attempts: attempts.length === 0 ? undefined : attempts.length + 1,
        }}
      />
      {onRerun !== undefined && (
        <div className={styles.buttons}>
          {canRewind && (
            <Button icon="rewind" onClick={() => onRerun('rewind')}>
              Rewind to here
            </Button>
          )}
          <Button icon="retry" onClick={() => onRerun('replay')}>
            Replay from here
          </Button>
        </div>
      )}
      {error !== undefined && <p className={styles.failure}>{reasons[attempts.length] ?? error}</p>}
      {attempts.length > 0 && (
        <ol className={styles.attempts}>
          {attempts.map((attempt, index) => (
            <li key={attempt.at}>
              Attempt {index + 1} failed at {formatClock(attempt.at)}: {reasons[index] ?? attempt.error}.{' '}
              {attempt.isRetriedByHand === true
                ? 'The execution was retried by hand.'
                : `The next one came after ${formatDuration(attempt.delayMs)}.`}
            </li>
          ))}
        </ol>
      )}
      {pauses.map((pause) => (
        <p key={pause.from} className={styles.soft}>
          {pause.to === undefined
            ? `Has waited since ${formatClock(pause.from)}: ${pause.reason}`
            : `Waited ${formatDuration(pause.to - pause.from)}: ${pause.reason}`}
        </p>
      ))}
      {notes.length > 0 && (
        <ol className={styles.attempts} aria-label="Events of the step itself">
          {notes.slice(-fewRuns).map((note, index) => (
            <li key={index}>
              {formatClock(note.at)} <code>{note.type}</code> {toText(note.fields)}
            </li>
          ))}
        </ol>
      )}
      <h3>Input</h3>
      <JsonView value={input} label={`Input of ${instance}`} />
      {output !== undefined && (
        <>
          <h3>Output</h3>
          <JsonView value={output} label={`Output of ${instance}`} />
        </>
      )}
    </section>
  );
}

/**
 * Of a step that was tried again, its last attempt and all together, with the waits between them.
 */
function listDurations(run: StepRun, endedAt: number): Readonly<Record<string, string | undefined>> {
  const all = formatDuration(endedAt - run.startedAt);
  if (run.attempts.length === 0) return { Duration: all };
  const lastMs = lastAttemptMs(run, endedAt);
  return { 'Last attempt': lastMs === undefined ? undefined : formatDuration(lastMs), 'All attempts': all };
}

/** A text as it is, other fields as JSON. */
function toText(fields: Readonly<Record<string, unknown>>): string {
  const [only, ...others] = Object.values(fields);
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(fields);
}
