import type { ModelMessage as CoreMessage } from '@halyard/core';
import { type Static, Type } from '@sinclair/typebox';
import { anyObject } from '../common-schemas.ts';
import { ModelMessage } from './model-message.ts';
import { FinishReason, ToolCall, Usage } from './schemas.ts';

/** Settings that are sent as they are: no default of the agent or the server is added. */
const TrialSettings = Type.Object({
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  frequencyPenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  presencePenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  seed: Type.Optional(Type.Integer()),
  stopSequences: Type.Optional(Type.Array(Type.String())),
});

/** One model call with what a person has edited. */
export const TrialRequest = Type.Object(
  {
    instructions: Type.Optional(Type.String({ description: 'The system prompt. Default: that of the agent.' })),
    messages: Type.Array(Type.Unsafe<CoreMessage>(ModelMessage), { minItems: 1 }),
    tools: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
          description: Type.Optional(Type.String()),
          inputSchema: anyObject({ description: 'The JSON Schema of the arguments, as the model gets it.' }),
        }),
        { maxItems: 128, description: 'The tools that the model may propose to call. Default: none.' },
      ),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'The id of a model of any agent, or one that the `providers` of this agent know. Default: the model of the agent.',
      }),
    ),
    settings: Type.Optional(TrialSettings),
  },
  { $id: 'TrialRequest' },
);
export type TrialRequest = Static<typeof TrialRequest>;

/** What the model replied. */
export const TrialResult = Type.Object(
  {
    text: Type.String(),
    reasoning: Type.Union([Type.String(), Type.Null()]),
    toolCalls: Type.Array(ToolCall, { description: 'The calls that the model proposes. None was run.' }),
    finishReason: FinishReason,
    usage: Usage,
    model: Type.String({ description: 'The model that replied.' }),
    durationMs: Type.Number(),
    cost: Type.Union([Type.Number(), Type.Null()], { description: 'In US dollars; null if it is unknown.' }),
  },
  { $id: 'TrialResult' },
);
export type TrialResult = Static<typeof TrialResult>;
