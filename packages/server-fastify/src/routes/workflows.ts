import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define/define-route.ts';
import { IdParams } from '../schemas/id.ts';
import { WorkflowDetail } from '../schemas/workflow-detail.ts';
import { WorkflowSummary } from '../schemas/workflow-summary.ts';
import { describeWorkflow, summarizeWorkflows } from './describe-workflow.ts';

export const workflowRoutes = [
  defineRoute({
    method: 'GET',
    url: '/workflows',
    tier: 'console',
    operationId: 'listWorkflows',
    tag: 'Workflows',
    summary: 'List workflows',
    data: Type.Array(WorkflowSummary),
    handler: (_, { registry }) => summarizeWorkflows(registry),
  }),
  defineRoute({
    method: 'GET',
    url: '/workflows/:id',
    tier: 'console',
    operationId: 'getWorkflow',
    tag: 'Workflows',
    summary: 'Get a workflow with its steps and schemas',
    params: IdParams,
    failures: [404],
    data: WorkflowDetail,
    handler: ({ params }, { registry }) => describeWorkflow(registry.getWorkflow(params.id)),
  }),
];
