import { itemPath, type Place, toSegments } from './place.ts';
import type { AnyStep } from './step.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** A step instance in the tree of a root and its sub-workflows. */
export interface StepAtPath {
  readonly step: AnyStep;
  /** The path of the sub-workflow that the step belongs to; `''` for the root. */
  readonly executionPath: string;
  /** The loop items around it in its workflow, as in its instance id: `:3`. */
  readonly items: string;
  /** Position of the top-level step, in its workflow, that contains it. */
  readonly stepIndex: number;
}

/**
 * The step at a place, or whose decision or call it is. @returns undefined when the workflow has no
 * such step.
 */
export function stepAtPath(root: WorkflowDefinition, place: Place): StepAtPath | undefined {
  let found: StepAtPath | undefined;
  let workflow = root;
  let steps: readonly AnyStep[] = root.steps;
  let executionPath = '';
  let items = '';
  for (const { id, item, path } of toSegments(place)) {
    const step = steps.find((candidate) => candidate.id === id);
    const stepIndex = workflow.index.get(id)?.stepIndex;
    if (step === undefined || stepIndex === undefined) return undefined;
    found = { step, executionPath, items, stepIndex };
    if (item !== undefined) items = itemPath(items, item);
    steps = step.steps;
    if (step.workflow !== undefined) {
      workflow = step.workflow;
      steps = step.workflow.steps;
      executionPath = path;
      items = '';
    }
  }
  return found;
}
