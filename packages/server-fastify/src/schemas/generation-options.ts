import { generationDefaults, type MergeStrategy } from '@halyard/core';
import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, objectOfObjects } from './any-object.ts';
import { Id } from './id.ts';
import { nullableObject } from './nullable-object.ts';

const contextLimit = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: "How many stored messages the model sees. Default: the memory's setting, else 10.",
  }),
);

/** Memory settings of one request; they win over the flat fields of the same meaning. */
const MemoryOptions = nullableObject({
  userId: Type.Optional(Id),
  conversationId: Type.Optional(Id),
  options: Type.Optional(
    nullableObject({
      contextLimit,
      readOnly: Type.Optional(Type.Boolean({ description: 'Read, and store nothing.' })),
      semanticMemory: Type.Optional(
        nullableObject({
          enabled: Type.Optional(Type.Boolean()),
          semanticLimit: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 100, description: 'How many messages are recalled at most.' }),
          ),
          semanticThreshold: Type.Optional(
            Type.Number({ minimum: 0, maximum: 1, description: 'The least cosine similarity.' }),
          ),
          mergeStrategy: Type.Optional(
            Type.Unsafe<MergeStrategy>({
              type: 'string',
              enum: ['append', 'prepend', 'interleave'],
              description:
                'Where recalled messages stand: after the others, before them, or where their time puts them.',
            }),
          ),
        }),
      ),
      conversationPersistence: Type.Optional(
        nullableObject({
          mode: Type.Optional(Type.Unsafe<'step' | 'finish'>({ type: 'string', enum: ['step', 'finish'] })),
          debounceMs: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 60_000, description: 'How long the write after a step may wait.' }),
          ),
          flushOnToolResult: Type.Optional(Type.Boolean({ description: 'Write results of tools at once.' })),
        }),
      ),
    }),
  ),
});

const properties = {
  userId: Type.Optional(Id),
  conversationId: Type.Optional(Id),
  contextLimit,
  maxSteps: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, description: 'Model calls of one run; default 10.' }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: orElse('temperature') })),
  maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1, description: orElse('maxOutputTokens') })),
  topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: orElse('topP') })),
  frequencyPenalty: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: orElse('frequencyPenalty') })),
  presencePenalty: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: orElse('presencePenalty') })),
  seed: Type.Optional(Type.Integer()),
  stopSequences: Type.Optional(Type.Array(Type.String())),
  providerOptions: Type.Optional(objectOfObjects({ description: 'For one provider each, under its name.' })),
  context: Type.Optional(anyNullableObject({ description: 'Reaches instructions and tools.' })),
  memory: Type.Optional(MemoryOptions),
};

/** `options` of a generation request: the defaults that are named hold where neither request nor agent says. */
export const GenerationOptions = nullableObject(properties, { $id: 'GenerationOptions' });
export type GenerationOptions = Static<typeof GenerationOptions>;

/** {@link GenerationOptions} of a chat. */
export const ChatOptions = nullableObject(
  {
    ...properties,
    resumable: Type.Optional(
      Type.Boolean({
        description:
          "The answer goes on without its client, who can come back to it. Needs the id of a conversation. Default: the agent's setting.",
      }),
    ),
  },
  { $id: 'ChatOptions' },
);
export type ChatOptions = Static<typeof ChatOptions>;

/** Not a JSON Schema `default`: a validator would fill it in, and the agent's own setting would never hold. */
function orElse(name: keyof typeof generationDefaults): string {
  return `Default: the agent's setting, else ${generationDefaults[name]}.`;
}
