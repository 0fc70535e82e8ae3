import type { AgentInput as CoreInput, BusyPolicy, MergeStrategy } from '@halyard/core';
import { generationDefaults } from '@halyard/core/server';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  anyNullableObject,
  anyObject,
  ExternalId,
  Id,
  nullableObject,
  objectOfObjects,
  RestrictedAccess,
  when,
} from '../common-schemas.ts';
import { ToolInput, ToolOutput } from '../tools/schemas.ts';
import { ModelMessage } from './model-message.ts';
import { UiMessage } from './ui-message.ts';

const agentFields = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  status: Type.Literal('idle'),
  model: Type.String({ description: 'Name of the model; `dynamic` if the agent chooses it for each run.' }),
  tools: Type.Array(Type.String()),
  memory: nullableObject(
    { config: anyObject({ description: 'The settings of the memory.' }) },
    { description: 'Null if the agent has no memory.' },
  ),
  access: RestrictedAccess,
};

const AgentSettings = Type.Object({
  instructions: Type.Unsafe<'none' | 'text' | 'messages' | 'function'>({
    type: 'string',
    enum: ['none', 'text', 'messages', 'function'],
    description:
      'Where the instructions come from: a text, system messages, or a function that returns them for each run. Their content is not part of this API.',
  }),
  tools: Type.Unsafe<'fixed' | 'function'>({
    type: 'string',
    enum: ['fixed', 'function'],
    description: 'Whether a function chooses the tools for each run: `tools` is empty then.',
  }),
  subAgents: Type.Unsafe<'fixed' | 'function'>({
    type: 'string',
    enum: ['fixed', 'function'],
    description: 'Whether a function chooses the sub-agents for each run: `subAgents` is empty then.',
  }),
  maxSteps: Type.Integer({ description: 'Maximum number of model calls of a run.' }),
  onBusy: Type.Unsafe<BusyPolicy>({
    type: 'string',
    enum: ['reject', 'queue', 'interrupt'],
    description: 'The policy for a question that arrives during an earlier run of its conversation.',
  }),
  resumable: Type.Boolean({ description: 'Whether chats continue when their client disconnects.' }),
  durable: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether chats are executions; null: as `resumable` where the storage outlives the process.',
  }),
  generation: anyObject({
    description:
      'The settings of model calls, if a request sets none, without headers and options of providers. Null or absent: the default of the provider.',
  }),
});

/** An agent, as `GET /agents` and `GET /agents/:id` return it. */
export const AgentSummary = Type.Object(
  {
    ...agentFields,
    suggestions: Type.Array(Type.String(), {
      description: 'Questions that a page can offer before the first message.',
    }),
    subAgents: Type.Array(Type.Object(agentFields)),
    isTelemetryEnabled: Type.Boolean(),
    settings: AgentSettings,
  },
  { $id: 'AgentSummary' },
);
export type AgentSummary = Static<typeof AgentSummary>;

/**
 * A message with `parts` is validated as a UI message only, so that an error describes that form.
 */
const Message = Type.Unsafe<UiMessage | ModelMessage>({
  type: 'object',
  ...when({ required: ['parts'] }, UiMessage, ModelMessage),
});

/**
 * The input of an agent: a text, UI messages (`{id?, role, parts}`) or model messages
 * (`{role, content}`).
 */
export const AgentInput = Type.Unsafe<CoreInput>(
  Type.Union([Type.String(), Type.Array(Message, { minItems: 1 })], {
    $id: 'AgentInput',
    description:
      'A text, or messages: either all UI messages (`{id?, role, parts}`) or all model messages (`{role, content}`).',
  }),
);
export type AgentInput = CoreInput;

const contextLimit = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description:
      'How many stored messages the model receives, and up to half as many more. Default: the setting of the memory, else 10.',
  }),
);

/**
 * Memory settings of one request. They take precedence over the flat fields with the same meaning.
 */
const MemoryOptions = nullableObject({
  userId: Type.Optional(ExternalId),
  conversationId: Type.Optional(Id),
  options: Type.Optional(
    nullableObject({
      contextLimit,
      readOnly: Type.Optional(Type.Boolean({ description: 'Read stored messages but store nothing.' })),
      semanticMemory: Type.Optional(
        nullableObject({
          enabled: Type.Optional(Type.Boolean()),
          semanticLimit: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 100, description: 'Maximum number of recalled messages.' }),
          ),
          semanticThreshold: Type.Optional(
            Type.Number({ minimum: 0, maximum: 1, description: 'Minimum cosine similarity.' }),
          ),
          mergeStrategy: Type.Optional(
            Type.Unsafe<MergeStrategy>({
              type: 'string',
              enum: ['append', 'prepend', 'interleave'],
              description: 'Position of recalled messages: after the others, before them, or by time.',
            }),
          ),
        }),
      ),
      conversationPersistence: Type.Optional(
        nullableObject({
          mode: Type.Optional(Type.Unsafe<'step' | 'finish'>({ type: 'string', enum: ['step', 'finish'] })),
          debounceMs: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 60_000, description: 'Maximum delay of the write after a step.' }),
          ),
          flushOnToolResult: Type.Optional(Type.Boolean({ description: 'Write tool results without delay.' })),
        }),
      ),
    }),
  ),
});

const optionFields = {
  userId: Type.Optional(ExternalId),
  conversationId: Type.Optional(Id),
  contextLimit,
  maxSteps: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, description: 'Maximum number of model calls of the run. Default 10.' }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: orElse('temperature') })),
  maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1, description: orElse('maxOutputTokens') })),
  topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: orElse('topP') })),
  frequencyPenalty: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: orElse('frequencyPenalty') })),
  presencePenalty: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: orElse('presencePenalty') })),
  seed: Type.Optional(Type.Integer()),
  stopSequences: Type.Optional(Type.Array(Type.String())),
  providerOptions: Type.Optional(
    objectOfObjects({ description: 'Options for providers, by the name of the provider.' }),
  ),
  context: Type.Optional(anyNullableObject({ description: 'Passed to instructions and tools.' })),
  memory: Type.Optional(MemoryOptions),
};

/** The `options` of a generation request. */
export const GenerationOptions = nullableObject(optionFields, { $id: 'GenerationOptions' });
export type GenerationOptions = Static<typeof GenerationOptions>;

/** The `options` of a chat request. */
const ChatOptions = nullableObject(
  {
    ...optionFields,
    durable: Type.Optional(
      Type.Boolean({
        description:
          'The reply is an execution: when the server that generates it ends, another one continues it from the last recorded model or tool call, under the same message id. Clients can reconnect to it, as with `resumable`. Requires a conversation id. Default: the setting of the agent, else as `resumable` where the storage outlives the process.',
      }),
    ),
    resumable: Type.Optional(
      Type.Boolean({
        description:
          'The reply continues when the client disconnects, and the client can reconnect to it. Requires a conversation id. Default: the setting of the agent.',
      }),
    ),
  },
  { $id: 'ChatOptions' },
);
export type ChatOptions = Static<typeof ChatOptions>;

/**
 * Describes a default. Not a JSON Schema `default`, which validation would insert in place of the
 * agent's own setting.
 */
function orElse(name: keyof typeof generationDefaults): string {
  return `Default: the setting of the agent, else ${generationDefaults[name]}, unless the model reasons or the server or agent uses the defaults of the provider.`;
}

/** The input of an agent, and options of its run. */
export const GenerationRequest = Type.Object(
  { input: AgentInput, options: Type.Optional(GenerationOptions) },
  { $id: 'GenerationRequest' },
);
export type GenerationRequest = Static<typeof GenerationRequest>;

/** A generation request for an object that is valid for a JSON Schema. */
export const ObjectRequest = Type.Object(
  {
    input: AgentInput,
    schema: anyObject({
      description:
        'JSON Schema of type object: at most 64 KiB and 32 levels deep, with references to its own subschemas only, and at most 10 000 subschemas when these are followed.',
    }),
    options: Type.Optional(GenerationOptions),
  },
  { $id: 'ObjectRequest' },
);
export type ObjectRequest = Static<typeof ObjectRequest>;

/**
 * A request of the AI SDK's clients: a generation request, or one in which `messages` or `prompt`
 * is the input and `id` the conversation.
 */
function clientRequest<Options extends TSchema>(options: Options, $id: string) {
  return Type.Object(
    {
      input: Type.Optional(AgentInput),
      // By reference: a schema with an `$id` may occur once, and `input` contains it.
      messages: Type.Optional(Type.Array(Type.Unsafe<UiMessage>(Type.Ref('UiMessage')), { minItems: 1 })),
      prompt: Type.Optional(
        Type.String({ description: 'The input as a text, as `useCompletion` of the AI SDK sends it.' }),
      ),
      id: Type.Optional(Id),
      trigger: Type.Optional(
        Type.String({
          description:
            '`regenerate-message`: a new reply replaces everything after the last message of the user. Otherwise nothing that is stored is replaced, unless `messageId` names that message.',
        }),
      ),
      messageId: Type.Optional(
        Type.String({
          description:
            'The id of the last message, if it is an edit of a stored message: everything after it is replaced.',
        }),
      ),
      options: Type.Optional(options),
    },
    // One of three is required. Conditions, so that one error is reported.
    {
      $id,
      ...when({ required: ['messages'] }, {}, when({ required: ['prompt'] }, {}, { required: ['input'] })),
    },
  );
}

/** The request of a chat. */
export const ChatRequest = clientRequest(ChatOptions, 'ChatRequest');
export type ChatRequest = Static<typeof ChatRequest>;

/** The request of a raw stream. */
export const StreamRequest = clientRequest(GenerationOptions, 'StreamRequest');
export type StreamRequest = Static<typeof StreamRequest>;

/** The path parameters of a conversation with an agent. */
export const ChatParams = Type.Object({ id: Id, conversationId: Id });
export type ChatParams = Static<typeof ChatParams>;

/** Token counts, summed over all steps and sub-agents; 0 if the provider reports none. */
export const Usage = Type.Object(
  {
    promptTokens: Type.Number(),
    completionTokens: Type.Number(),
    totalTokens: Type.Number(),
    cachedInputTokens: Type.Number(),
    reasoningTokens: Type.Number(),
  },
  { $id: 'Usage' },
);
export type Usage = Static<typeof Usage>;

/**
 * Why a step or a run ended. `tool-calls`: it waits for an approval or for a tool that the client
 * runs.
 */
export const FinishReason = Type.Unsafe<'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'>({
  $id: 'FinishReason',
  type: 'string',
  enum: ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'],
});
export type FinishReason = Static<typeof FinishReason>;

const toolCall = { toolCallId: Type.String(), toolName: Type.String(), input: ToolInput };

/**
 * A tool call of the model. `approvalId` and `signature` are set if it needs approval by a person.
 */
export const ToolCall = Type.Object(
  {
    ...toolCall,
    approvalId: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String()),
  },
  { $id: 'ToolCall' },
);

const ToolResult = Type.Object({ ...toolCall, output: ToolOutput }, { $id: 'ToolResult' });

/** The result of a run over all its steps. */
export const TextResult = Type.Object(
  {
    text: Type.String(),
    usage: Usage,
    finishReason: FinishReason,
    toolCalls: Type.Array(ToolCall),
    toolResults: Type.Array(ToolResult),
    conversationId: Type.Optional(Type.String()),
  },
  { $id: 'TextResult' },
);
export type TextResult = Static<typeof TextResult>;

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** A recorded run of an agent. */
export const AgentHistoryEntry = Type.Object(
  {
    id: Type.String(),
    agentId: Type.String(),
    operation: Type.String({ description: '`text`, `stream`, `chat`, `object` or `stream-object`.' }),
    status: Type.Unsafe<'running' | 'completed' | 'error' | 'aborted' | 'refused'>({
      type: 'string',
      enum: ['running', 'completed', 'error', 'aborted', 'refused'],
      description:
        '`aborted`: the caller has left or stopped it. `refused`: a guardrail blocked it, or its request was not accepted.',
    }),
    input: Type.Unknown({ description: 'Messages, any JSON; null if contents are not recorded.' }),
    output: Type.Unknown({
      description: 'Messages, any JSON; null if contents are not recorded, and during the run.',
    }),
    usage: Usage,
    startedAt: Type.String({ format: 'date-time' }),
    endedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    userId: nullableText,
    conversationId: nullableText,
    traceId: Type.String(),
    error: Type.Optional(Type.String()),
    errorType: Type.Optional(
      Type.String({ description: 'A code such as `REPLY_STOPPED`, or the class of the error.' }),
    ),
  },
  { $id: 'AgentHistoryEntry' },
);
export type AgentHistoryEntry = Static<typeof AgentHistoryEntry>;

/** Newest first. */
export const AgentHistory = Type.Object(
  {
    entries: Type.Array(AgentHistoryEntry),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
    isComplete: Type.Boolean({ description: 'Whether the page contains all its entries.' }),
  },
  { $id: 'AgentHistory' },
);
export type AgentHistory = Static<typeof AgentHistory>;

export const AgentHistoryQuery = Type.Object({
  page: Type.Integer({ minimum: 0, maximum: 1_000, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  userId: Type.Optional(ExternalId),
});
export type AgentHistoryQuery = Static<typeof AgentHistoryQuery>;
