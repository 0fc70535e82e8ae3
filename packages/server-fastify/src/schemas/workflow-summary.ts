import { type Static, Type } from '@sinclair/typebox';

export const workflowFields = {
  id: Type.String(),
  name: Type.String(),
  purpose: Type.String(),
  stepsCount: Type.Integer({ description: 'Steps at the top level.' }),
  status: Type.Literal('idle', { description: 'Of the workflow itself; executions have their own.' }),
};

/** A workflow, as lists show it. */
export const WorkflowSummary = Type.Object(workflowFields, { $id: 'WorkflowSummary' });
export type WorkflowSummary = Static<typeof WorkflowSummary>;
