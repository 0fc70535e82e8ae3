import type { Citation as TextCitation } from '@halyard/contracts';
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { ToolInput, ToolOutput } from '../tools/schemas.ts';
import { FinishReason, Usage } from './schemas.ts';
import { Citation } from './ui-message.ts';

/** Data of a provider, which a client sends back with the message that contained it. */
const ProviderMetadata = Type.Unsafe<Record<string, Record<string, unknown>>>({
  $id: 'ProviderMetadata',
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: true },
  description: 'Data of the provider. Send it back with the message.',
});
type ProviderMetadata = Static<typeof ProviderMetadata>;

/** Ids of agents, from the called agent to the sub-agent that emits the event. */
const AgentPath = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String(), { description: 'From the called agent to the sub-agent that emits the event.' }),
);
type AgentPath = Static<typeof AgentPath>;

const ParentToolCallId = Type.String({ description: 'The call that started the sub-agent.' });

const providerFields = { providerMetadata: Type.Optional(ProviderMetadata) };
const block = { id: Type.String(), ...providerFields };
/** As in stored messages, where citations are any objects. */
const textEnd = { ...block, citations: Type.Optional(Type.Unsafe<TextCitation[]>(Type.Array(Citation))) };
const delta = { id: Type.String(), delta: Type.String(), ...providerFields };
const call = {
  toolCallId: Type.String(),
  toolName: Type.String(),
  input: ToolInput,
  providerExecuted: Type.Optional(Type.Boolean()),
  dynamic: Type.Optional(Type.Boolean({ description: "The tool is not one of the agent's." })),
  ...providerFields,
};
const title = Type.Optional(Type.String({ description: 'The name of the tool for people.' }));

/**
 * One event of `POST /agents/:id/stream`. Events of a sub-agent have `agentId`, `agentPath` and
 * `parentToolCallId`.
 */
export const AgentEvent = Type.Union(
  [
    event('start', {}),
    event('start-step', {}),
    event('text-start', block),
    event('text-delta', delta),
    event('text-end', textEnd),
    event('reasoning-start', block),
    event('reasoning-delta', delta),
    event('reasoning-end', block),
    event('tool-input-start', {
      id: Type.String(),
      toolName: Type.String(),
      title,
      providerExecuted: call.providerExecuted,
      dynamic: call.dynamic,
      ...providerFields,
    }),
    event('tool-input-delta', delta),
    event('tool-input-end', block),
    event('tool-call', {
      ...call,
      title,
      approvalId: Type.Optional(
        Type.String({ description: 'The call waits for approval by a person: no result follows in this run.' }),
      ),
      signature: Type.Optional(Type.String({ description: 'Send it back with the approval response.' })),
      invalidInput: Type.Optional(
        Type.Boolean({ description: 'The arguments are invalid for the tool; a tool-error follows.' }),
      ),
    }),
    event('tool-result', {
      ...call,
      output: ToolOutput,
      preliminary: Type.Optional(
        Type.Boolean({
          description: 'The tool still works; another result of this call follows and replaces this one.',
        }),
      ),
    }),
    event('tool-error', {
      ...call,
      error: Type.String(),
      denied: Type.Optional(Type.Boolean({ description: 'A person denied the call.' })),
      invalidInput: Type.Optional(
        Type.Boolean({ description: 'The arguments of the model are invalid for the tool.' }),
      ),
    }),
    event('source', {
      id: Type.String(),
      sourceType: Type.Literal('url'),
      url: Type.String(),
      title: Type.Optional(Type.String()),
      ...providerFields,
    }),
    event('source', {
      id: Type.String(),
      sourceType: Type.Literal('document'),
      mediaType: Type.String(),
      title: Type.String(),
      filename: Type.Optional(Type.String()),
      ...providerFields,
    }),
    event('file', { mediaType: Type.String(), url: Type.String(), ...providerFields }),
    event('raw', { rawValue: Type.Unknown({ description: 'An unchanged chunk of the provider.' }) }),
    event('finish-step', { finishReason: FinishReason, usage: Usage, ...providerFields }),
    event('finish', { finishReason: FinishReason, usage: Usage }),
    event('abort', { reason: Type.Optional(Type.String()) }),
    event('error', { error: Type.String() }),
  ],
  { $id: 'AgentEvent', description: 'One event of a run. The last is exactly one of `finish`, `abort` and `error`.' },
);
export type AgentEvent = Static<typeof AgentEvent>;

function event<const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) {
  return Type.Object({
    type: Type.Literal(type),
    ...fields,
    agentId: Type.Optional(Type.String()),
    agentPath: Type.Optional(AgentPath),
    parentToolCallId: Type.Optional(ParentToolCallId),
  });
}

/** One event of `POST /agents/:id/stream-object`: partial objects, then the complete one. */
export const ObjectEvent = Type.Union(
  [
    Type.Object({
      type: Type.Literal('partial'),
      object: Type.Unknown({ description: 'The part of the object that was generated so far; not validated.' }),
    }),
    Type.Object({
      type: Type.Literal('object'),
      object: Type.Unknown({ description: 'The complete object, valid for the schema.' }),
      usage: Usage,
    }),
    Type.Object({ type: Type.Literal('error'), error: Type.String() }),
  ],
  { $id: 'ObjectEvent' },
);
export type ObjectEvent = Static<typeof ObjectEvent>;

const toolFields = {
  toolCallId: Type.String(),
  dynamic: Type.Optional(Type.Boolean()),
  providerExecuted: Type.Optional(Type.Boolean()),
  ...providerFields,
};
const toolPart = { ...toolFields, toolName: Type.String(), title: Type.Optional(Type.String()) };
const toolInput = { ...toolPart, input: ToolInput };

/** A message of a conversation that stands for older ones. */
const StoredSummary = Type.Object({
  id: Type.String(),
  role: Type.Literal('system'),
  parts: Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() })),
  metadata: Type.Object({
    summary: Type.Object({
      until: Type.String({ format: 'date-time', description: 'The time of the last message that it stands for.' }),
      messages: Type.Integer({ description: 'How many messages it stands for.' }),
    }),
  }),
});

const messageMetadata = Type.Optional(
  Type.Unknown({
    description:
      "Added to the metadata of the message, by the agent's `messageMetadata`. By default, `finish` has `usage` and `modelId`.",
  }),
);

/** One chunk of `POST /agents/:id/chat`: a chunk of the AI SDK's UI message stream. */
export const UiMessageChunk = Type.Union(
  [
    chunk('start', { messageId: Type.String(), messageMetadata }),
    chunk('start-step', {}),
    chunk('text-start', block),
    chunk('text-delta', delta),
    chunk('text-end', textEnd),
    chunk('reasoning-start', block),
    chunk('reasoning-delta', delta),
    chunk('reasoning-end', block),
    chunk('tool-input-start', toolPart),
    chunk('tool-input-delta', { toolCallId: Type.String(), inputTextDelta: Type.String() }),
    chunk('tool-input-available', toolInput),
    chunk('tool-input-error', { ...toolInput, errorText: Type.String() }),
    chunk('tool-approval-request', {
      approvalId: Type.String(),
      toolCallId: Type.String(),
      signature: Type.Optional(Type.String()),
    }),
    chunk('tool-approval-response', {
      approvalId: Type.String(),
      approved: Type.Boolean(),
      reason: Type.Optional(Type.String()),
    }),
    chunk('tool-output-available', { ...toolFields, output: ToolOutput, preliminary: Type.Optional(Type.Boolean()) }),
    chunk('tool-output-error', { ...toolFields, errorText: Type.String() }),
    chunk('tool-output-denied', { toolCallId: Type.String() }),
    chunk('source-url', {
      sourceId: Type.String(),
      url: Type.String(),
      title: Type.Optional(Type.String()),
      ...providerFields,
    }),
    chunk('source-document', {
      sourceId: Type.String(),
      mediaType: Type.String(),
      title: Type.String(),
      filename: Type.Optional(Type.String()),
      ...providerFields,
    }),
    chunk('file', { url: Type.String(), mediaType: Type.String(), ...providerFields }),
    chunk('reasoning-file', { url: Type.String(), mediaType: Type.String(), ...providerFields }),
    chunk('custom', { kind: Type.TemplateLiteral('${string}.${string}'), ...providerFields }),
    chunk('data-agent-event', {
      data: Type.Object({
        agentId: Type.String(),
        agentPath: AgentPath,
        parentToolCallId: ParentToolCallId,
        event: AgentEvent,
      }),
      transient: Type.Literal(true),
    }),
    chunk('data-summary', {
      data: Type.Object(
        { message: StoredSummary },
        { description: 'Older messages of the conversation were summarised.' },
      ),
      transient: Type.Literal(true),
    }),
    Type.Object({
      type: Type.TemplateLiteral('data-${string}'),
      id: Type.Optional(
        Type.String({ description: 'It replaces an earlier part of the message that has its type and its id.' }),
      ),
      data: Type.Unknown({ description: 'The data of a tool for the client, any JSON.' }),
      transient: Type.Optional(Type.Boolean({ description: 'It is not part of the message.' })),
    }),
    chunk('finish-step', {}),
    chunk('finish', { finishReason: FinishReason, messageMetadata }),
    chunk('abort', { reason: Type.Optional(Type.String()) }),
    chunk('error', { errorText: Type.String() }),
  ],
  {
    $id: 'UiMessageChunk',
    description:
      'A chunk of the AI SDK UI message stream (`x-vercel-ai-ui-message-stream: v1`). `data: [DONE]` follows the last one.',
  },
);
export type UiMessageChunk = Static<typeof UiMessageChunk>;

function chunk<const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}
