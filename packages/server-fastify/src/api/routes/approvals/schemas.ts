import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, Id } from '../common-schemas.ts';

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** A request that waits for a person. */
export const Approval = Type.Object(
  {
    id: Type.String({ description: 'Pass it with the response.' }),
    kind: Type.Unsafe<'tool' | 'step' | 'request'>({
      type: 'string',
      enum: ['tool', 'step', 'request'],
      description:
        '`tool`: an agent waits for the approval of a tool call. `step`: a step of a workflow waits for data. `request`: an execution was suspended from outside, and asks nothing: an answer without data continues it.',
    }),
    reason: Type.String(),
    requestedAt: Type.String({ format: 'date-time' }),
    expiresAt: nullable('Until when it can be answered; null: at any time.'),
    agentId: nullable('The agent that asks, possibly a sub-agent.'),
    toolName: nullable('The tool, for the kind `tool`.'),
    input: Type.Optional(Type.Unknown({ description: 'The arguments of the tool call, any JSON.' })),
    data: Type.Optional(Type.Unknown({ description: 'The data of the step for the person who responds, any JSON.' })),
    resumeSchema: anyNullableObject({ description: 'The JSON Schema of the resume data, or null.' }),
    userId: nullable('The user whose run waits.'),
    approvers: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'Who may respond: ids of users, `role:<name>`, `tenant:<id>`. Null: the user whose run waits. Operators always may.',
    }),
    quorum: Type.Integer({ description: 'How many different people must approve.' }),
    allowsAlways: Type.Boolean({ description: 'Whether the response may have `always`.' }),
    conversation: Type.Optional(
      Type.Array(Type.Object({ role: Type.String(), text: Type.String() }), {
        description:
          'The last texts of the conversation in which an agent asks, the earliest first. Its user can change them.',
      }),
    ),
    conversationId: nullable('The conversation that the run belongs to.'),
    workflowId: nullable('The workflow that waits; null for an agent in a conversation.'),
    executionId: nullable('The execution that waits; null for an agent in a conversation.'),
    stepId: nullable('The step that waits.'),
  },
  { $id: 'Approval' },
);
export type Approval = Static<typeof Approval>;

/** The longest time of a grant. */
const greatestGrantMs = 366 * 24 * 60 * 60 * 1000;

/** The later calls that a person approves with one. */
export const Always = Type.Object(
  {
    scope: Type.Unsafe<'conversation' | 'tool'>({
      type: 'string',
      enum: ['conversation', 'tool'],
      description:
        '`conversation`: calls of this tool by this agent in this conversation. `tool`: those in all runs of the same user.',
    }),
    expiryMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: greatestGrantMs,
        description: 'For how long, in milliseconds. Default: 30 days.',
      }),
    ),
  },
  {
    $id: 'Always',
    description:
      'With `approved`, and without `input`: approves later calls, too. Only for a request with `allowsAlways`.',
  },
);
export type Always = Static<typeof Always>;

/** The response to a request. */
export const ApprovalAnswer = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      // An `approvalId` contains the execution id and the path of the call.
      maxLength: 2_048,
      description: 'The `id` of the request.',
    }),
    executionId: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Of the request, if it has one.' })),
    conversationId: Type.Optional(
      Type.String({ pattern: Id.pattern, description: 'Of the request, if it has no `executionId`.' }),
    ),
    approved: Type.Optional(Type.Boolean({ description: 'For the kind `tool`: required.' })),
    reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Why; the model reads it.' })),
    input: Type.Optional(
      Type.Unknown({
        description:
          'For the kind `tool`, with `approved`: arguments that replace those of the model, validated by the schema of the tool. The caller must be allowed to approve these arguments, too. Not accepted where `quorum` is more than 1.',
      }),
    ),
    always: Type.Optional(Always),
    resumeData: Type.Optional(
      Type.Unknown({ description: 'For the kind `step`: the resume data, validated by `resumeSchema`.' }),
    ),
  },
  { $id: 'ApprovalAnswer' },
);
export type ApprovalAnswer = Static<typeof ApprovalAnswer>;

/** The approval of later calls, by a person who has approved one of them. */
export const ApprovalGrant = Type.Object(
  {
    id: Type.String(),
    agentId: Type.String({ description: 'The agent whose calls run, possibly a sub-agent.' }),
    toolName: Type.String(),
    scope: Always.properties.scope,
    conversationId: nullable('The conversation, for the scope `conversation`.'),
    userId: nullable('The user whose runs do not ask any more.'),
    grantedBy: nullable('The user who approved; null for an operator without a name.'),
    createdAt: Type.String({ format: 'date-time' }),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'ApprovalGrant' },
);
export type ApprovalGrant = Static<typeof ApprovalGrant>;

export const GrantParams = Type.Object({ grantId: Type.String({ pattern: Id.pattern, maxLength: 128 }) });
