import { type StepType as AnyStepType, stepTypes } from '@halyard/core/server';
import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject, ExternalId, Id, nullableObject, RestrictedAccess } from '../common-schemas.ts';

const workflowFields = {
  id: Type.String(),
  name: Type.String(),
  purpose: Type.String(),
  stepsCount: Type.Integer({ description: 'The number of top-level steps.' }),
  status: Type.Literal('idle', { description: 'Always idle. Executions have their own status.' }),
  access: RestrictedAccess,
};

/** A workflow, as `GET /workflows` returns it. */
export const WorkflowSummary = Type.Object(workflowFields, { $id: 'WorkflowSummary' });
export type WorkflowSummary = Static<typeof WorkflowSummary>;

export const StepType = Type.Unsafe<AnyStepType>({ $id: 'StepType', type: 'string', enum: [...stepTypes] });
export type StepType = Static<typeof StepType>;

const jsonSchema = (of: string) => Type.Optional(anyObject({ description: `JSON Schema of ${of}.` }));
const nullableSchema = (of: string) => anyNullableObject({ description: `JSON Schema of ${of}, or null.` });

/** A step of a workflow, with its inner steps or the steps of its sub-workflow. */
export const WorkflowStep = Type.Recursive(
  (Step) =>
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      type: StepType,
      purpose: Type.String(),
      inputSchema: jsonSchema('the input'),
      outputSchema: jsonSchema('the output'),
      suspendSchema: jsonSchema('the suspend data'),
      resumeSchema: jsonSchema('the resume data'),
      workflowId: Type.Optional(Type.String({ description: 'The id of the workflow that the step runs.' })),
      agentId: Type.Optional(Type.String({ description: 'The id of the agent that the step runs.' })),
      starts: Type.Optional(Type.String({ description: 'The id of the workflow that the step starts.' })),
      event: Type.Optional(Type.String({ description: 'The name of the event that the step waits for.' })),
      eventFrom: Type.Optional(
        Type.Literal('owner', { description: 'The user of the execution may publish the event, too.' }),
      ),
      timeoutMs: Type.Optional(Type.Number({ description: 'How long the step waits for its event.' })),
      compensates: Type.Optional(
        Type.Boolean({ description: 'Whether the step can be undone when the workflow fails or is cancelled.' }),
      ),
      role: Type.Optional(
        Type.Unsafe<'catch' | 'finally'>({
          type: 'string',
          enum: ['catch', 'finally'],
          description: 'The role of this step in the `andTry` around it. Absent for the step that is tried.',
        }),
      ),
      steps: Type.Optional(Type.Array(Step)),
    }),
  { $id: 'WorkflowStep' },
);
export type WorkflowStep = Static<typeof WorkflowStep>;

const isPerKey = Type.Boolean({ description: 'Whether each key, such as a tenant, counts by itself.' });

/** A workflow with its steps and schemas. */
export const WorkflowDetail = Type.Object(
  {
    ...workflowFields,
    steps: Type.Array(WorkflowStep),
    inputSchema: nullableSchema('the input'),
    resultSchema: nullableSchema('the result'),
    suspendSchema: nullableSchema('the suspend data of its steps'),
    resumeSchema: nullableSchema('the resume data of its steps'),
    versions: Type.Optional(
      Type.Array(
        Type.Object({
          steps: Type.Array(WorkflowStep),
          isReplaced: Type.Boolean({
            description: 'Whether its executions continue with the current steps. Otherwise they keep their own.',
          }),
        }),
        { description: 'Earlier steps, whose executions may not have finished. Absent: none.' },
      ),
    ),
    priority: Type.Optional(
      Type.Integer({ description: 'Executions with the highest priority start first. Absent: 0.' }),
    ),
    concurrency: Type.Optional(
      Type.Object(
        { limit: Type.Integer({ description: 'How many executions run at the same time.' }), isPerKey },
        { description: 'Absent: unlimited.' },
      ),
    ),
    throttle: Type.Optional(
      Type.Object(
        {
          limit: Type.Integer({ description: 'How many executions start within the period.' }),
          periodMs: Type.Integer(),
          isPerKey,
        },
        { description: 'Absent: unlimited.' },
      ),
    ),
    singleton: Type.Optional(
      Type.Object(
        {
          onBusy: Type.Unsafe<'skip' | 'cancel-running'>({
            type: 'string',
            enum: ['skip', 'cancel-running'],
            description: 'A start while another execution has not ended: it is refused, or cancels that one.',
          }),
          isPerKey,
        },
        { description: 'Absent: any number of executions.' },
      ),
    ),
    debounce: Type.Optional(
      Type.Object(
        {
          delayMs: Type.Integer({ description: 'How long an execution waits for later starts, which cancel it.' }),
          maxDelayMs: Type.Optional(
            Type.Integer({ description: 'The longest time from the first start until one runs.' }),
          ),
          isPerKey,
        },
        { description: 'Absent: each start runs.' },
      ),
    ),
  },
  { $id: 'WorkflowDetail' },
);
export type WorkflowDetail = Static<typeof WorkflowDetail>;

/** A request to start an execution of a workflow. */
export const RunRequest = Type.Object(
  {
    input: Type.Unknown({ description: 'Validated by the schema of the workflow.' }),
    options: Type.Optional(
      nullableObject({
        userId: Type.Optional(ExternalId),
        conversationId: Type.Optional(Id),
        executionId: Type.Optional(Id),
        context: Type.Optional(anyNullableObject({ description: 'Passed to every step.' })),
        workflowState: Type.Optional(anyNullableObject({ description: 'The initial state that the steps share.' })),
        metadata: Type.Optional(
          anyNullableObject({
            description: 'Stored with the execution. The list of executions can be filtered by it.',
          }),
        ),
        priority: Type.Optional(
          Type.Integer({
            minimum: -1_000,
            maximum: 1_000,
            description:
              'Of executions that wait, those with the highest priority start first. Default: that of the workflow, above which a verified user does not get.',
          }),
        ),
        startAfterMs: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'Starts it after this delay. Until then its status is `running`. Not for workflows with `debounce` or `throttle`.',
          }),
        ),
      }),
    ),
  },
  { $id: 'RunRequest' },
);
export type RunRequest = Static<typeof RunRequest>;

/** A request to publish an event. */
export const PublishRequest = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$' }),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only executions that wait with this key receive the event; without a key, those that wait without one.',
      }),
    ),
    payload: Type.Optional(Type.Unknown()),
    requestId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A repeated request with the same id publishes nothing.',
      }),
    ),
  },
  { $id: 'PublishRequest' },
);
export type PublishRequest = Static<typeof PublishRequest>;

/** An event that was published. */
export const PublishedEvent = Type.Object(
  {
    eventId: Type.String(),
    delivered: Type.Integer({ description: 'How many executions waited for the event and have received it.' }),
  },
  { $id: 'PublishedEvent' },
);
export type PublishedEvent = Static<typeof PublishedEvent>;
