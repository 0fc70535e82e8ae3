import { type Static, type TUnknown, Type } from '@sinclair/typebox';
import { anyObject, ExternalId, Id, nullableObject } from '../common-schemas.ts';

/** The path parameters of an execution: the ids of its workflow and of itself. */
export const ExecutionParams = Type.Object({ id: Id, executionId: Id });
export type ExecutionParams = Static<typeof ExecutionParams>;

/**
 * The status of an execution. A sleeping execution is `running`; one that waits to be resumed is
 * `suspended`.
 */
export const ExecutionStatus = Type.Unsafe<'running' | 'suspended' | 'completed' | 'error' | 'cancelled'>({
  $id: 'ExecutionStatus',
  type: 'string',
  enum: ['running', 'suspended', 'completed', 'error', 'cancelled'],
});
export type ExecutionStatus = Static<typeof ExecutionStatus>;

/** The error of an execution, without stack and without texts of drivers and providers. */
export const ExecutionError = Type.Object(
  {
    message: Type.String(),
    stepId: Type.Optional(Type.String({ description: 'The step that failed.' })),
    code: Type.Optional(Type.String({ description: 'Stable, as in `x-error-code`.' })),
  },
  { $id: 'ExecutionError' },
);
export type ExecutionError = Static<typeof ExecutionError>;

/** The input of an execution. It is validated by the schema of the workflow. */
export const WorkflowInput: TUnknown = Type.Unknown({ description: 'Input of the execution, any JSON.' });

export const WorkflowOutput: TUnknown = Type.Unknown({ description: 'Result of the execution, any JSON.' });

const suspensionFields = {
  suspendedAt: Type.String({ format: 'date-time' }),
  reason: Type.String(),
  stepId: Type.String({ description: '`approve:3` in a loop.' }),
  suspensionId: Type.String({
    description:
      'Names this suspension and no later one. Pass it with the resume data, as `options.suspensionId`; lists of approvals take it as their `id`, too.',
  }),
  kind: Type.Unsafe<'step' | 'approval' | 'request' | 'event'>({
    type: 'string',
    enum: ['step', 'approval', 'request', 'event'],
    description:
      '`step`: the step waits for resume data. `approval`: a tool call of an agent waits for approval. `request`: it was suspended from outside. `event`: it waits for a published event.',
  }),
  suspendData: Type.Optional(
    Type.Unknown({ description: 'Data of the step for the client that resumes it, any JSON.' }),
  ),
};

/** The reason why an execution is suspended, in results and events. */
export const SuspensionReport = Type.Object(
  {
    ...suspensionFields,
    suspendedStepIndex: Type.Integer({ description: 'Position of the top-level step that contains it.' }),
  },
  { $id: 'SuspensionReport' },
);
export type SuspensionReport = Static<typeof SuspensionReport>;

/** Filters of the list of executions, which are combined with AND. */
export const ExecutionQuery = Type.Object({
  workflowId: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description: 'Default: all workflows except those of the framework, whose ids begin with `halyard:`.',
    }),
  ),
  parentExecutionId: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description: 'List the executions of sub-workflows of this execution. Default: executions without a parent.',
    }),
  ),
  status: Type.Optional(ExecutionStatus),
  quarantined: Type.Optional(
    Type.Literal(true, {
      description: 'Only executions that were suspended because no process could run them: each one that tried died.',
    }),
  ),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Created at or after: an ISO 8601 timestamp, UTC without an offset.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Created at or before: an ISO 8601 timestamp, UTC without an offset.',
    }),
  ),
  userId: Type.Optional(ExternalId),
  metadata: Type.Optional(
    Type.String({
      description:
        'A URL-encoded JSON object. The metadata must contain each of its fields. For one field: `metadata.<key>=<value>`, where the value is parsed as JSON if possible, else it is text.',
    }),
  ),
  events: Type.Optional(
    Type.Literal(false, { description: 'Leaves out the events: the list is shorter, and is read faster.' }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description:
        'The id of the last execution of the previous page: the list continues with the one before it. Unlike `offset`, its cost does not grow, and new executions shift nothing.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
});
export type ExecutionQuery = Static<typeof ExecutionQuery>;

/** The reason why an execution is suspended, in its state. */
export const PendingSuspension = Type.Object(
  { ...suspensionFields, stepIndex: Type.Integer({ description: 'Position of the top-level step that contains it.' }) },
  { $id: 'PendingSuspension' },
);
export type PendingSuspension = Static<typeof PendingSuspension>;

/** A suspension of an execution, with the schema for a form. */
export const WaitingStep = Type.Object(
  {
    ...suspensionFields,
    stepIndex: Type.Integer({ description: 'Position of the top-level step that contains it.' }),
    executionId: Type.String({ description: 'The execution that waits: this one, or one of its sub-workflows.' }),
    event: Type.Optional(
      Type.Object(
        { name: Type.String(), key: Type.Union([Type.String(), Type.Null()]) },
        { description: 'The event that it waits for.' },
      ),
    ),
    resumeSchema: Type.Optional(
      anyObject({ description: 'JSON Schema of the resume data. Absent: any JSON, and for `request` none.' }),
    ),
  },
  { $id: 'WaitingStep' },
);
export type WaitingStep = Static<typeof WaitingStep>;

/** The fields that {@link ExecutionState} and {@link ExecutionRecord} share. */
const executionFields = {
  workflowId: Type.String(),
  workflowName: Type.String(),
  status: ExecutionStatus,
  input: WorkflowInput,
  output: Type.Optional(WorkflowOutput),
  error: Type.Optional(ExecutionError),
  failureReason: Type.Optional(
    Type.String({
      description:
        'Why it failed, in the words of the error that a step threw. Only for operators, and only where runs are recorded.',
    }),
  ),
  workflowState: anyObject({ description: 'The state that the steps share.' }),
  suspension: Type.Union([PendingSuspension, Type.Null()], {
    description: 'The earliest pending suspension, or null.',
  }),
  quarantinedAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When it was suspended because no process could run it. Absent unless it still is.',
    }),
  ),
  waitingSince: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Since when it has waited because as many executions run as the `concurrency` of the workflow allows. Absent unless it waits.',
    }),
  ),
  parentExecutionId: Type.Optional(
    Type.String({ description: 'The execution whose sub-workflow this is. Absent for a root.' }),
  ),
  parentStep: Type.Optional(
    Type.String({ description: 'The step that runs this sub-workflow, by its path in the root: `lines:3/ship`.' }),
  ),
  userId: Type.Optional(Type.String()),
  conversationId: Type.Optional(Type.String()),
  metadata: anyObject({ description: 'The metadata of the request that started it.' }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
};

/** The complete state of an execution, without its events. */
export const ExecutionState = Type.Object(
  {
    executionId: Type.String(),
    ...executionFields,
    startAt: Type.String({ format: 'date-time' }),
    endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null until it ends.',
    }),
    context: anyObject({ description: 'The context of the request that started it.' }),
    suspensions: Type.Array(WaitingStep, { description: 'All pending suspensions, the earliest first.' }),
    rewinds: Type.Array(
      Type.Object({
        paths: Type.Array(Type.String(), { description: 'The steps from which it ran again.' }),
        seq: Type.Integer({ description: 'Number of the last event before it.' }),
      }),
      { description: 'How often it was rewound or retried.' },
    ),
  },
  { $id: 'ExecutionState' },
);
export type ExecutionState = Static<typeof ExecutionState>;

/** The start or the end of a workflow or step. */
export const ExecutionRecordEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: '`workflow-start`, `step-complete` and so on, as in streams.' }),
    name: Type.String({ description: 'Name of the step or of the workflow.' }),
    from: Type.String({ description: 'Id of the step or of the workflow.' }),
    startTime: Type.String({ format: 'date-time' }),
    endTime: Type.String({ format: 'date-time', description: 'The same as startTime for a start.' }),
    status: Type.Unsafe<'running' | 'success' | 'skipped' | 'error' | 'cancelled'>({
      type: 'string',
      enum: ['running', 'success', 'skipped', 'error', 'cancelled'],
    }),
    input: Type.Optional(Type.Unknown({ description: 'For a start: any JSON.' })),
    output: Type.Optional(Type.Unknown({ description: 'For a success: any JSON.' })),
  },
  { $id: 'ExecutionRecordEvent' },
);
export type ExecutionRecordEvent = Static<typeof ExecutionRecordEvent>;

/** An execution, as `GET /workflows/executions` returns it. */
export const ExecutionRecord = Type.Object(
  {
    id: Type.String(),
    ...executionFields,
    events: Type.Array(ExecutionRecordEvent),
    hasMoreEvents: Type.Optional(
      Type.Literal(true, {
        description:
          'Later events are left out: the page has no room for them. `GET …/stream` has all. Absent: none are left out.',
      }),
    ),
  },
  { $id: 'ExecutionRecord' },
);
export type ExecutionRecord = Static<typeof ExecutionRecord>;

/** A request to suspend or cancel an execution. */
export const StopRequest = nullableObject({ reason: Type.Optional(Type.String()) }, { $id: 'StopRequest' });
export type StopRequest = Static<typeof StopRequest>;

/** The result of suspending an execution. */
export const SuspendedExecution = Type.Object(
  {
    executionId: Type.String(),
    status: Type.Literal('suspended'),
    suspension: Type.Object({ suspendedAt: Type.String({ format: 'date-time' }), reason: Type.String() }),
  },
  { $id: 'SuspendedExecution' },
);
export type SuspendedExecution = Static<typeof SuspendedExecution>;

/** The result of cancelling an execution. */
export const CancelledExecution = Type.Object(
  {
    executionId: Type.String(),
    status: Type.Literal('cancelled'),
    cancelledAt: Type.String({ format: 'date-time' }),
    reason: Type.String(),
  },
  { $id: 'CancelledExecution' },
);
export type CancelledExecution = Static<typeof CancelledExecution>;

/** A request to resume a suspended execution. */
export const ResumeRequest = nullableObject(
  {
    resumeData: Type.Optional(
      Type.Unknown({ description: 'Validated by the schema of the step, else that of the workflow.' }),
    ),
    options: Type.Optional(
      nullableObject({
        suspensionId: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 128,
            description:
              'The suspension that is answered, as results, states and events name it. Required for an approval, and for a step that has asked before. Default: the one of `stepId`.',
          }),
        ),
        stepId: Type.Optional(
          Type.String({
            minLength: 1,
            // An `approvalId` contains the execution id and the path of the call.
            maxLength: 2_048,
            description:
              'A suspended step, the `approvalId` of a call, or an earlier step to go back to. Default: the earliest suspension.',
          }),
        ),
        newIdempotencyKeys: Type.Optional(
          Type.Boolean({
            description:
              'Gives the steps that run again after going back new idempotency keys, so that they have their effects again. For operators. Default: false.',
          }),
        ),
      }),
    ),
  },
  { $id: 'ResumeRequest' },
);
export type ResumeRequest = Static<typeof ResumeRequest>;

/** A request to start a new execution from a step of an earlier one. */
export const ReplayRequest = Type.Object(
  {
    stepId: Id,
    resumeData: Type.Optional(Type.Unknown({ description: 'Resumes that step with this value.' })),
    inputData: Type.Optional(
      Type.Unknown({
        description:
          'Replaces the input of its top-level step, and must fit the same schema. Default: the output of the step before.',
      }),
    ),
  },
  { $id: 'ReplayRequest' },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

/** The largest position that every storage supports. */
const greatestSeq = 2 ** 31 - 1;

const seq = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: greatestSeq, description }));

/** The position after which a client continues to read. */
export const StreamPosition = Type.Object({
  from: seq('`seq` of the last received event. Default: all events are sent.'),
});
export type StreamPosition = Static<typeof StreamPosition>;

/** The header that browsers send when they reconnect. It takes precedence over `from`. */
export const LastEventId = Type.Object({ 'last-event-id': seq('`id` of the last received event.') });
export type LastEventId = Static<typeof LastEventId>;
