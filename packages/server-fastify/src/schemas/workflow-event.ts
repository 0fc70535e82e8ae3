import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { AgentEvent } from './agent-event.ts';
import { ExecutionError } from './execution-error.ts';
import { ExecutionStatus } from './execution-status.ts';
import { StepType } from './step-type.ts';
import { SuspensionReport } from './suspension-report.ts';
import { WorkflowInput, WorkflowOutput } from './workflow-values.ts';

const step = {
  stepType: StepType,
  stepIndex: Type.Integer({ description: 'Position of the top-level step that it is in.' }),
};
const common = {
  executionId: Type.String(),
  from: Type.String({ description: 'Id of the step, `approve:3` in a loop; of the workflow for `workflow-*`.' }),
  timestamp: Type.String({ format: 'date-time' }),
};
const seq = Type.Integer({ minimum: 1, description: 'Without gaps; also the `id` of the frame.' });

/** One event of an execution. */
export const WorkflowEvent = Type.Union(
  [
    event('workflow-start', { input: WorkflowInput }),
    event('step-start', { ...step, input: Type.Unknown({ description: 'What the step is given, JSON of any kind.' }) }),
    event('step-complete', {
      ...step,
      status: Type.Union([Type.Literal('success'), Type.Literal('skipped')]),
      output: Type.Unknown({ description: 'What the step gives, JSON of any kind.' }),
    }),
    event('step-error', { error: Type.String() }),
    event('step-retry', { attempt: Type.Integer(), error: Type.String(), delayMs: Type.Number() }),
    event('workflow-suspended', { suspension: SuspensionReport }),
    event('workflow-cancelled', { reason: Type.String() }),
    event('workflow-error', { error: ExecutionError }),
    event('workflow-complete', { output: WorkflowOutput }),
    event('workflow-result', {
      status: ExecutionStatus,
      result: Type.Unknown({ description: 'Any JSON; null unless it is completed.' }),
      startAt: Type.String({ format: 'date-time' }),
      endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      suspension: Type.Optional(SuspensionReport),
      error: Type.Optional(ExecutionError),
    }),
    Type.Object(
      { type: Type.TemplateLiteral('custom-${string}'), seq, ...common },
      { additionalProperties: true, description: 'What a step tells in its own words.' },
    ),
    Type.Object(
      { type: Type.Literal('agent-event'), ...common, event: AgentEvent },
      { description: 'What an agent of the workflow does while it does it: neither numbered nor kept.' },
    ),
    Type.Object(
      { type: Type.Literal('error'), error: Type.String() },
      { description: 'The stream ends here; the execution may go on.' },
    ),
  ],
  {
    $id: 'WorkflowEvent',
    description: 'One event of an execution. Each time it comes to rest the last is a `workflow-result`.',
  },
);
export type WorkflowEvent = Static<typeof WorkflowEvent>;

function event<const Name extends string, Fields extends TProperties & Record<string, TSchema>>(
  type: Name,
  fields: Fields,
) {
  return Type.Object({ type: Type.Literal(type), seq, ...common, ...fields });
}
