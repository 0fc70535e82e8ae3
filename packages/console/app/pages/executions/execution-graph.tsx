import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { components } from '../../api/schema.ts';
import { formatDuration } from '../../ui/format.ts';
import { StepGraph } from '../../ui/graph/step-graph-lazy.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { useToggled } from '../workflows/workflow-definition.tsx';
import { toGraph, type WorkflowStep } from '../workflows/workflow-graph.ts';
import { toStepName, type StepRun, type StepSummary, summarize } from './execution-model.ts';
import { listExecutions } from './read-execution.ts';
import type { ExecutionRecord } from './use-execution-list.ts';

type ExecutionState = components['schemas']['ExecutionState'];
type WorkflowDetail = components['schemas']['WorkflowDetail'];

/**
 * The steps of the workflow, with what each has done in this execution. Steps that were not reached
 * are pale.
 */
export function ExecutionGraph({
  at,
  execution,
  onSelect,
  runs,
  selectedId,
  workflow,
}: {
  readonly execution: ExecutionState;
  readonly workflow: WorkflowDetail | undefined;
  readonly runs: readonly StepRun[];
  /** The moment of `runs`, if it has passed. */
  readonly at: number | undefined;
  readonly selectedId: string | undefined;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const [toggled, toggle] = useToggled();
  const steps = useMemo(() => workflow?.steps ?? [], [workflow]);
  const subWorkflows = useSubWorkflows(execution, hasSubWorkflow(steps));
  const states = useMemo(() => toStates(steps, runs, subWorkflows, at), [steps, runs, subWorkflows, at]);
  const nodes = useMemo(
    () => toGraph(steps, toggled, (path) => states.get(path) ?? { state: 'idle' }),
    [steps, toggled, states],
  );
  if (workflow === undefined)
    return <EmptyState title="The server has no definition of this workflow any more">See the timeline.</EmptyState>;
  return (
    <StepGraph
      label={`Steps of ${workflow.name}`}
      nodes={nodes}
      selectedId={selectedId}
      onSelect={onSelect}
      onToggle={toggle}
    />
  );
}

/** The executions of the sub-workflows of this one. */
export function useSubWorkflows(
  { executionId }: Pick<ExecutionState, 'executionId'>,
  isEnabled: boolean,
): readonly ExecutionRecord[] {
  const { data } = useQuery({
    queryKey: ['executions', 'one', executionId, 'children'],
    queryFn: async ({ signal }) =>
      (await listExecutions({ parentExecutionId: executionId, limit: 200, offset: 0 }, signal)).rows,
    enabled: isEnabled,
  });
  return data ?? none;
}

const none: readonly ExecutionRecord[] = [];

function hasSubWorkflow(steps: readonly WorkflowStep[]): boolean {
  return steps.some(({ steps: inner = [], type }) => type === 'andWorkflow' || hasSubWorkflow(inner));
}

interface State {
  readonly state: string;
  readonly note: string | undefined;
}

/** By the path of each step. */
function toStates(
  steps: readonly WorkflowStep[],
  runs: readonly StepRun[],
  subWorkflows: readonly ExecutionRecord[],
  at = Infinity,
): ReadonlyMap<string, State> {
  const own = summarize(runs);
  const states = new Map<string, State>();
  const add = (list: readonly WorkflowStep[], prefix: string): void => {
    for (const step of list) {
      const summary = own.get(step.id);
      if (summary !== undefined) states.set(prefix + step.id, { state: summary.state, note: toNote(summary) });
      if (step.type !== 'andWorkflow') add(step.steps ?? [], `${prefix}${step.id}/`);
    }
  };
  add(steps, '');
  for (const { events, parentStep = '', status: outcome } of subWorkflows) {
    const hasEnded = outcome !== 'running' && outcome !== 'suspended' && at === Infinity;
    const prefix = parentStep.split('/').map(toStepName).join('/');
    const paths = new Map<string, string>();
    for (const { endTime, from, startTime, status, type } of events) {
      if (!type.startsWith('step-') || Date.parse(startTime) > at) continue;
      const state = Date.parse(endTime) > at ? 'running' : status;
      // A branch that has not ended with the others has lost a race.
      paths.set(toStepName(from), state === 'running' && hasEnded ? 'cancelled' : state);
    }
    for (const [stepId, state] of paths) {
      const path = findPath(steps, prefix, stepId);
      if (path !== undefined) states.set(path, { state, note: undefined });
    }
  }
  return states;
}

/** The path of a step of the sub-workflow at `prefix`. */
function findPath(steps: readonly WorkflowStep[], prefix: string, stepId: string): string | undefined {
  let list = steps;
  for (const segment of prefix.split('/')) list = list.find(({ id }) => id === segment)?.steps ?? [];
  const search = (inner: readonly WorkflowStep[], at: string): string | undefined => {
    for (const step of inner) {
      const path = `${at}/${step.id}`;
      if (step.id === stepId) return path;
      const found = search(step.steps ?? [], path);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(list, prefix);
}

function toNote({ attempts, count, done, durationMs }: StepSummary): string | undefined {
  const notes = [
    count > 1 && `${done} of ${count}`,
    attempts > 1 && `${attempts} attempts`,
    durationMs !== undefined && `${attempts > 1 && count === 1 ? 'last ' : ''}${formatDuration(durationMs)}`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? undefined : notes.join(', ');
}
