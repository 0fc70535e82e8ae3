import { DefinitionChangedError, type JournalEntry } from '@halyard/contracts';
import { childPath, isDecision, toSegments } from '../../definition/place.ts';
import { hasCode, isLoop } from '../../definition/step-index.ts';
import type { AnyStep } from '../../definition/step.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';

/**
 * Checks that the journal of an execution fits the current steps of its workflow: each recorded
 * step still exists, has the same type, and no step was inserted before it.
 *
 * @param waiting paths of steps that have started and wait.
 * @throws DefinitionChangedError
 */
export function checkDefinition(
  workflow: WorkflowDefinition,
  journal: readonly JournalEntry[],
  waiting: readonly string[],
): void {
  if (journal.length === 0 && waiting.length === 0) return;
  const recorded = new Set(journal.map(({ path }) => path));
  for (const { path, type } of journal) {
    const step = checkPath(workflow, path, recorded);
    if (step !== undefined && !isDecision(path) && step.type !== type)
      throw new DefinitionChangedError(workflow.id, `step "${path}" was recorded as ${type} and is now ${step.type}`);
  }
  for (const path of waiting) checkPath(workflow, path, recorded);
}

/** @returns the step at this path; undefined for the workflow itself. */
function checkPath(root: WorkflowDefinition, path: string, recorded: ReadonlySet<string>): AnyStep | undefined {
  let workflow: WorkflowDefinition | undefined = root;
  let steps = root.steps;
  let step: AnyStep | undefined;
  let outer = '';
  for (const { id, item, path: at } of toSegments(path)) {
    if (id === '') return undefined;
    step = steps.find((candidate) => candidate.id === id);
    if (step === undefined || (item !== undefined && !isLoop(step)))
      throw new DefinitionChangedError(root.id, `step "${path}" was recorded and no longer exists`);
    if (workflow !== undefined) checkOrder(root, workflow, step, outer, recorded);
    outer = at;
    // The steps that code calls are compared when it calls them.
    if (hasCode(step)) return at === path ? step : undefined;
    workflow = step.workflow;
    steps = workflow?.steps ?? step.steps;
  }
  return step;
}

/** Steps of a workflow run in order, so all steps before a started one are recorded. */
function checkOrder(
  root: WorkflowDefinition,
  { steps }: WorkflowDefinition,
  started: AnyStep,
  at: string,
  recorded: ReadonlySet<string>,
): void {
  for (const before of steps) {
    if (before === started) return;
    const path = childPath(at, before.id);
    if (!recorded.has(path))
      throw new DefinitionChangedError(
        root.id,
        `step "${path}" was inserted before "${started.id}", which was recorded without it`,
      );
  }
}
