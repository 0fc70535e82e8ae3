import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { FinishReason } from './finish-reason.ts';
import { ToolInput, ToolOutput } from './tool-values.ts';
import { Usage } from './usage.ts';

/** Data of a provider that a client keeps and sends back with the message it came with. */
export const ProviderMetadata = Type.Unsafe<Record<string, Record<string, unknown>>>({
  $id: 'ProviderMetadata',
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: true },
  description: 'Data of the provider, which goes back to it with the message.',
});
export type ProviderMetadata = Static<typeof ProviderMetadata>;

/** Ids of agents, from the one that was asked down to the one that speaks. */
export const AgentPath = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String(), { description: 'From the agent that was asked down to the one that speaks.' }),
);
export type AgentPath = Static<typeof AgentPath>;

const carried = { providerMetadata: Type.Optional(ProviderMetadata) };
const block = { id: Type.String(), ...carried };
const delta = { id: Type.String(), delta: Type.String(), ...carried };
const call = {
  toolCallId: Type.String(),
  toolName: Type.String(),
  input: ToolInput,
  providerExecuted: Type.Optional(Type.Boolean()),
  ...carried,
};

/** One event of `POST /agents/:id/stream`. Those of a sub-agent carry `agentId` and `agentPath`. */
export const AgentEvent = Type.Union(
  [
    event('start', {}),
    event('start-step', {}),
    event('text-start', block),
    event('text-delta', delta),
    event('text-end', block),
    event('reasoning-start', block),
    event('reasoning-delta', delta),
    event('reasoning-end', block),
    event('tool-input-start', { id: Type.String(), toolName: Type.String(), ...carried }),
    event('tool-input-delta', { id: Type.String(), delta: Type.String() }),
    event('tool-input-end', { id: Type.String() }),
    event('tool-call', {
      ...call,
      approvalId: Type.Optional(
        Type.String({ description: 'The call waits for a person to agree: no result follows in this run.' }),
      ),
      signature: Type.Optional(Type.String({ description: 'Goes back with the answer.' })),
      invalidInput: Type.Optional(
        Type.Boolean({ description: 'The arguments do not fit the tool; a tool-error follows.' }),
      ),
    }),
    event('tool-result', { ...call, output: ToolOutput }),
    event('tool-error', {
      ...call,
      error: Type.String(),
      denied: Type.Optional(Type.Boolean({ description: 'A person denied the call.' })),
      invalidInput: Type.Optional(Type.Boolean({ description: "The model's arguments do not fit the tool." })),
    }),
    event('source', {
      id: Type.String(),
      sourceType: Type.Literal('url'),
      url: Type.String(),
      title: Type.Optional(Type.String()),
      ...carried,
    }),
    event('source', {
      id: Type.String(),
      sourceType: Type.Literal('document'),
      mediaType: Type.String(),
      title: Type.String(),
      filename: Type.Optional(Type.String()),
      ...carried,
    }),
    event('file', { mediaType: Type.String(), url: Type.String(), ...carried }),
    event('raw', { rawValue: Type.Unknown({ description: "A chunk of the provider's own." }) }),
    event('finish-step', { finishReason: FinishReason, usage: Usage }),
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
  });
}
