import type { Registry, WorkflowDefinition } from '@halyard/core';
import type { WorkflowDetail, WorkflowStep } from '../schemas/workflow-detail.ts';
import type { WorkflowSummary } from '../schemas/workflow-summary.ts';

type AnyStep = WorkflowDefinition['steps'][number];

const details = new WeakMap<WorkflowDefinition, WorkflowDetail>();
const lists = new WeakMap<Registry, WorkflowSummary[]>();

/** The workflows of a server; built when first asked for, since a registry does not change. */
export function summarizeWorkflows(registry: Registry): WorkflowSummary[] {
  let list = lists.get(registry);
  if (list === undefined) {
    list = registry.workflows.map(summarize);
    // What is frozen is written as JSON once.
    Object.freeze(list);
    lists.set(registry, list);
  }
  return list;
}

/** What anybody who may see a workflow may know of it: never the code of its functions. */
export function describeWorkflow(workflow: WorkflowDefinition): WorkflowDetail {
  let detail = details.get(workflow);
  if (detail === undefined) {
    const { input, result, resumeSchema, steps, suspendSchema } = workflow;
    detail = {
      ...summarize(workflow),
      steps: steps.map(describeStep),
      inputSchema: input?.jsonSchema ?? null,
      resultSchema: result?.jsonSchema ?? null,
      suspendSchema: suspendSchema?.jsonSchema ?? null,
      resumeSchema: resumeSchema?.jsonSchema ?? null,
    };
    Object.freeze(detail);
    details.set(workflow, detail);
  }
  return detail;
}

function summarize({ id, name, purpose, steps }: WorkflowDefinition): WorkflowSummary {
  return { id, name, purpose, stepsCount: steps.length, status: 'idle' };
}

function describeStep(step: AnyStep): WorkflowStep {
  const { id, input, name, output, purpose, resumeSchema, suspendSchema, type, workflow } = step;
  const inner = workflow?.steps ?? step.steps;
  return {
    id,
    name,
    type,
    purpose,
    ...(input !== undefined && { inputSchema: input.jsonSchema }),
    ...(output !== undefined && { outputSchema: output.jsonSchema }),
    ...(suspendSchema !== undefined && { suspendSchema: suspendSchema.jsonSchema }),
    ...(resumeSchema !== undefined && { resumeSchema: resumeSchema.jsonSchema }),
    ...(inner.length > 0 && { steps: inner.map(describeStep) }),
  };
}
