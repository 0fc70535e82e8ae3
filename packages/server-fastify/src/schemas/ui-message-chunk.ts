import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { AgentEvent, AgentPath, ProviderMetadata } from './agent-event.ts';
import { FinishReason } from './finish-reason.ts';
import { ToolInput, ToolOutput } from './tool-values.ts';

const carried = { providerMetadata: Type.Optional(ProviderMetadata) };
const block = { id: Type.String(), ...carried };
const delta = { id: Type.String(), delta: Type.String(), ...carried };
const call = { toolCallId: Type.String(), toolName: Type.String(), dynamic: Type.Optional(Type.Boolean()) };
const result = { toolCallId: Type.String(), providerExecuted: Type.Optional(Type.Boolean()), ...carried };
const input = { ...call, input: ToolInput, providerExecuted: Type.Optional(Type.Boolean()), ...carried };

/** One chunk of `POST /agents/:id/chat`: those of the AI SDK's UI message stream that this server sends, with the SDK's own keys. */
export const UiMessageChunk = Type.Union(
  [
    chunk('start', { messageId: Type.String() }),
    chunk('start-step', {}),
    chunk('text-start', block),
    chunk('text-delta', delta),
    chunk('text-end', block),
    chunk('reasoning-start', block),
    chunk('reasoning-delta', delta),
    chunk('reasoning-end', block),
    chunk('tool-input-start', { ...call, ...carried }),
    chunk('tool-input-delta', { toolCallId: Type.String(), inputTextDelta: Type.String() }),
    chunk('tool-input-available', input),
    chunk('tool-input-error', { ...input, errorText: Type.String() }),
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
    chunk('tool-output-available', { ...result, output: ToolOutput }),
    chunk('tool-output-error', { ...result, errorText: Type.String() }),
    chunk('tool-output-denied', { toolCallId: Type.String() }),
    chunk('source-url', {
      sourceId: Type.String(),
      url: Type.String(),
      title: Type.Optional(Type.String()),
      ...carried,
    }),
    chunk('source-document', {
      sourceId: Type.String(),
      mediaType: Type.String(),
      title: Type.String(),
      filename: Type.Optional(Type.String()),
      ...carried,
    }),
    chunk('file', { url: Type.String(), mediaType: Type.String(), ...carried }),
    chunk('data-agent-event', {
      data: Type.Object({ agentId: Type.String(), agentPath: AgentPath, event: AgentEvent }),
      transient: Type.Literal(true),
    }),
    chunk('finish-step', {}),
    chunk('finish', { finishReason: FinishReason }),
    chunk('abort', { reason: Type.Optional(Type.String()) }),
    chunk('error', { errorText: Type.String() }),
  ],
  {
    $id: 'UiMessageChunk',
    description:
      'A chunk of the AI SDK UI message stream (`x-vercel-ai-ui-message-stream: v1`). After the last comes `data: [DONE]`.',
  },
);
export type UiMessageChunk = Static<typeof UiMessageChunk>;

function chunk<const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}
