import { type Static, Type } from '@sinclair/typebox';
import { anyObject } from './any-object.ts';
import { ExecutionError } from './execution-error.ts';
import { ExecutionStatus } from './execution-status.ts';
import { suspensionFields } from './suspension-report.ts';
import { WorkflowInput, WorkflowOutput } from './workflow-values.ts';

/** What an execution waits for, as its state tells it. */
export const PendingSuspension = Type.Object(
  { ...suspensionFields, stepIndex: Type.Integer({ description: 'Position of the top-level step that it is in.' }) },
  { $id: 'PendingSuspension' },
);
export type PendingSuspension = Static<typeof PendingSuspension>;

export const executionFields = {
  workflowId: Type.String(),
  workflowName: Type.String(),
  status: ExecutionStatus,
  input: WorkflowInput,
  output: Type.Optional(WorkflowOutput),
  workflowState: anyObject({ description: 'The state that steps share.' }),
  suspension: Type.Union([PendingSuspension, Type.Null()], { description: 'The earliest that is pending, or null.' }),
  userId: Type.Optional(Type.String()),
  conversationId: Type.Optional(Type.String()),
  metadata: anyObject({ description: 'As it was given at the start.' }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
};

/** Everything that is known of an execution, but its events. */
export const ExecutionState = Type.Object(
  {
    executionId: Type.String(),
    ...executionFields,
    startAt: Type.String({ format: 'date-time' }),
    endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null unless it has ended.',
    }),
    context: anyObject({ description: 'As it was given at the start.' }),
    error: Type.Optional(ExecutionError),
  },
  { $id: 'ExecutionState' },
);
export type ExecutionState = Static<typeof ExecutionState>;
