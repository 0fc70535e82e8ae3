import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { AgentEvent } from '../agents/event-schemas.ts';
import { StepType } from '../workflows/schemas.ts';
import { ExecutionError, SuspensionReport, WorkflowInput, WorkflowOutput } from './schemas.ts';

const step = {
  stepType: StepType,
  stepIndex: Type.Integer({ description: 'Position of the top-level step that contains it.' }),
};
const common = {
  executionId: Type.String(),
  from: Type.String({ description: 'Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`.' }),
  timestamp: Type.String({ format: 'date-time' }),
};
const seq = Type.Integer({ minimum: 1, description: 'Without gaps. Also the `id` of the SSE frame.' });

/**
 * The fields of a `workflow-result` with any status, so that clients can read them before they know
 * it.
 */
const ending = {
  startAt: Type.String({ format: 'date-time' }),
  endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  suspension: Type.Optional(SuspensionReport),
  error: Type.Optional(ExecutionError),
};

/** One event of an execution. */
export const WorkflowEvent = Type.Union(
  [
    event('workflow-start', { input: WorkflowInput }),
    event('step-start', { ...step, input: Type.Unknown({ description: 'Input of the step, any JSON.' }) }),
    event('step-complete', {
      ...step,
      status: Type.Union([Type.Literal('success'), Type.Literal('skipped')]),
      output: Type.Unknown({ description: 'Output of the step, any JSON.' }),
    }),
    event('step-error', { error: Type.String() }),
    event('step-compensated', {}),
    event('step-compensation-error', { error: Type.String() }),
    event('step-retry', { attempt: Type.Integer(), error: Type.String(), delayMs: Type.Number() }),
    event('workflow-suspended', { suspension: SuspensionReport }),
    event('workflow-cancelled', { reason: Type.String() }),
    event('workflow-error', { error: ExecutionError }),
    event('workflow-complete', { output: WorkflowOutput }),
    event('workflow-result', {
      status: Type.Literal('completed'),
      result: Type.Unknown({ description: 'Any JSON.' }),
      ...ending,
    }),
    event('workflow-result', {
      status: Type.Unsafe<'suspended' | 'error' | 'cancelled'>({
        type: 'string',
        enum: ['suspended', 'error', 'cancelled'],
      }),
      result: Type.Null(),
      ...ending,
    }),
    Type.Object(
      { type: Type.TemplateLiteral('custom-${string}'), seq, ...common },
      { additionalProperties: true, description: 'An event that a step emits itself.' },
    ),
    Type.Object(
      { type: Type.Literal('agent-event'), ...common, event: AgentEvent },
      { description: 'An event of an agent in the workflow. It has no `seq` and is not stored.' },
    ),
    Type.Object(
      { type: Type.Literal('error'), error: Type.String() },
      { description: 'The stream ends here. The execution may continue.' },
    ),
  ],
  {
    $id: 'WorkflowEvent',
    description:
      'One event of an execution. A `workflow-result` is the last one each time the execution is suspended or ends.',
  },
);
export type WorkflowEvent = Static<typeof WorkflowEvent>;

function event<const Name extends string, Fields extends TProperties & Record<string, TSchema>>(
  type: Name,
  fields: Fields,
) {
  return Type.Object({ type: Type.Literal(type), seq, ...common, ...fields });
}
