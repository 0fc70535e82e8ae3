import type { WorkflowDefinition } from '../definition/workflow-definition.ts';

/** Workflows by id, those that others run as a step among them. */
export function withSubWorkflows(workflows: readonly WorkflowDefinition[]): ReadonlyMap<string, WorkflowDefinition> {
  const known = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  for (const { index } of known.values())
    for (const { step } of index.values())
      if (step.workflow !== undefined && !known.has(step.workflow.id)) known.set(step.workflow.id, step.workflow);
  return known;
}
