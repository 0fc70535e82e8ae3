import type { FlowControl, WorkflowDefinition } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { isCovered, isVisible } from '../../../access/targets.ts';
import { defineRoute } from '../../define/define-route.ts';
import { IdParams, restrictedAccess } from '../common-schemas.ts';
import { WorkflowDetail, type WorkflowStep, WorkflowSummary } from './schemas.ts';

export const workflowRoutes = [
  defineRoute({
    method: 'GET',
    url: '/workflows',
    tier: 'console',
    isScoped: true,
    operationId: 'listWorkflows',
    tag: 'Workflows',
    summary: 'List workflows',
    data: Type.Array(WorkflowSummary),
    handler: ({ caller }, { registry }) =>
      registry.workflows
        .filter((workflow) => isVisible(workflow, caller) && isCovered('workflow', workflow.id, caller))
        .map(summarizeWorkflow),
  }),
  defineRoute({
    method: 'GET',
    url: '/workflows/:id',
    tier: 'console',
    isScoped: true,
    operationId: 'getWorkflow',
    tag: 'Workflows',
    summary: 'Get a workflow with its steps and schemas',
    params: IdParams,
    failures: [404],
    data: WorkflowDetail,
    handler: ({ params }, { registry }) => describeWorkflow(registry.getWorkflow(params.id)),
  }),
];

type AnyStep = WorkflowDefinition['steps'][number];

/** Never exposes the code of the workflow's functions. */
function describeWorkflow(workflow: WorkflowDefinition): WorkflowDetail {
  const { flowControl, input, priority, replaces, result, resumeSchema, steps, suspendSchema, versions } = workflow;
  const earlier = [
    ...versions.map((version) => ({ steps: version.steps.map(describeStep), isReplaced: false })),
    ...replaces.map((version) => ({ steps: version.steps.map(describeStep), isReplaced: true })),
  ];
  return {
    ...summarizeWorkflow(workflow),
    steps: steps.map(describeStep),
    inputSchema: input?.jsonSchema ?? null,
    resultSchema: result?.jsonSchema ?? null,
    suspendSchema: suspendSchema?.jsonSchema ?? null,
    resumeSchema: resumeSchema?.jsonSchema ?? null,
    ...(earlier.length > 0 && { versions: earlier }),
    ...(priority !== 0 && { priority }),
    ...describeFlowControl(flowControl),
  };
}

function describeFlowControl({
  concurrency,
  debounce,
  singleton,
  throttle,
}: FlowControl): Pick<WorkflowDetail, keyof FlowControl> {
  return {
    ...(concurrency && { concurrency: describeRule(concurrency) }),
    ...(throttle && { throttle: describeRule(throttle) }),
    ...(singleton && { singleton: describeRule(singleton) }),
    ...(debounce && { debounce: describeRule(debounce) }),
  };
}

function describeRule<Rule extends { readonly key?: unknown }>({
  key,
  ...rule
}: Rule): Omit<Rule, 'key'> & { readonly isPerKey: boolean } {
  return { ...rule, isPerKey: key !== undefined };
}

function summarizeWorkflow(workflow: WorkflowDefinition): WorkflowSummary {
  const { id, name, purpose, steps } = workflow;
  return { id, name, purpose, stepsCount: steps.length, status: 'idle', ...restrictedAccess(workflow) };
}

function describeInnerStep(step: AnyStep, role: WorkflowStep['role']): WorkflowStep {
  return { ...describeStep(step), ...(role !== undefined && { role }) };
}

function describeStep(step: AnyStep): WorkflowStep {
  const { agent, event, id, input, name, output, purpose, resumeSchema, starts, suspendSchema, type, workflow } = step;
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
    ...(workflow !== undefined && { workflowId: workflow.id }),
    ...(agent !== undefined && { agentId: agent.id }),
    ...(starts !== undefined && { starts: starts.id }),
    ...(event !== undefined && { event: event.name }),
    ...(event?.from === 'owner' && { eventFrom: event.from }),
    ...(event?.timeoutMs !== undefined && { timeoutMs: event.timeoutMs }),
    ...(step.compensate !== undefined && { compensates: true }),
    ...(inner.length > 0 && { steps: inner.map((each) => describeInnerStep(each, step.roles?.[each.id])) }),
  };
}
