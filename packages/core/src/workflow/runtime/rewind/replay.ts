import type { Execution, JournalEntry, JsonValue } from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { isBelow } from '../waits/waits.ts';
import { planRewind } from './rewind-plan.ts';

/** What a new execution begins with that repeats a part of another. */
export interface ReplayPlan {
  /** Of the step that runs first. */
  readonly path: string;
  readonly input: JsonValue;
  readonly journal: readonly JournalEntry[];
}

/**
 * What to take over so that a step, and all that comes after it, runs again.
 *
 * @param journal of the root.
 * @returns undefined when the execution has not come to that step.
 */
export function planReplay(
  workflow: WorkflowDefinition,
  execution: Execution,
  journal: readonly JournalEntry[],
  { inputData, stepId }: { readonly stepId: string; readonly inputData: JsonValue | undefined },
): ReplayPlan | undefined {
  const known = withWaiting(execution, journal);
  const plan = planRewind(workflow, execution, known, stepId);
  if (plan === undefined) return undefined;
  const { path } = execution;
  const own = (entryPath: string): string => (path === '' ? entryPath : entryPath.slice(path.length + 1));
  const kept = journal.filter(
    (entry) =>
      (path === '' || entry.path.startsWith(`${path}/`)) &&
      // It may have ended early, which the new one need not.
      !entry.path.startsWith('#') &&
      !plan.entries.includes(entry.path) &&
      !plan.paths.some((forgotten) => entry.path === forgotten || isBelow(entry.path, forgotten)) &&
      !isInsideSubWorkflow(workflow, own(entry.path)),
  );
  const before = workflow.steps[stepIndexOf(workflow, stepId) - 1];
  const given = inputData === undefined ? undefined : { output: inputData };
  return {
    path: own(plan.path),
    input: before === undefined && inputData !== undefined ? inputData : execution.input,
    journal: kept.map((entry) => {
      const renamed = { ...entry, path: own(entry.path) };
      return renamed.path === before?.id ? { ...renamed, ...given } : renamed;
    }),
  };
}

/** A step that waits has been come to as well. */
function withWaiting({ suspensions }: Execution, journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const waiting = suspensions.map(({ path, suspendedAt }): JournalEntry => {
    const times = { startedAt: suspendedAt, endedAt: suspendedAt };
    return { path, type: 'andThen', status: 'success', output: null, attempts: 1, ...times };
  });
  return [...journal, ...waiting];
}

function stepIndexOf(workflow: WorkflowDefinition, stepId: string): number {
  return workflow.index.get(stepId.split(':', 1)[0] ?? '')?.stepIndex ?? 0;
}

/** The new execution has no such sub-workflow: what its step gave is enough. */
function isInsideSubWorkflow(workflow: WorkflowDefinition, path: string): boolean {
  for (const { step } of workflow.index.values()) {
    if (step.workflow === undefined) continue;
    const inside = new RegExp(`(?:^|/)${step.id.replaceAll('.', String.raw`\.`)}(?:[/#])`, 'u');
    if (inside.test(path)) return true;
  }
  return false;
}
