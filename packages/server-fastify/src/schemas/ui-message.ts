import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { objectOfObjects } from './any-object.ts';
import { Id } from './id.ts';
import { nullableObject } from './nullable-object.ts';
import { prefixedUnion } from './tagged-union.ts';
import { when } from './when.ts';

const carried = { providerMetadata: Type.Optional(objectOfObjects()) };
const blockState = { state: Type.Optional(Type.Union([Type.Literal('streaming'), Type.Literal('done')])) };

const FilePart = Type.Object({
  type: Type.Literal('file'),
  mediaType: Type.String({ minLength: 1 }),
  url: Type.String({ description: 'A `data:` URL, or http(s) to a public address.' }),
  filename: Type.Optional(Type.String()),
  providerReference: Type.Optional(nullableObject({}, { additionalProperties: Type.String() })),
  ...carried,
});

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...blockState, ...carried });

const approval = Type.Optional(
  nullableObject({
    id: Type.String(),
    approved: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String()),
  }),
);

const toolFields = {
  toolCallId: Type.String({ minLength: 1 }),
  state: Type.Unsafe<
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied'
  >({
    type: 'string',
    enum: [
      'input-streaming',
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-error',
      'output-denied',
    ],
  }),
  input: Type.Optional(Type.Unknown()),
  output: Type.Optional(Type.Unknown()),
  errorText: Type.Optional(Type.String()),
  approval,
  providerExecuted: Type.Optional(Type.Boolean()),
  callProviderMetadata: Type.Optional(objectOfObjects()),
  resultProviderMetadata: Type.Optional(objectOfObjects()),
};

const answered = { type: 'object', required: ['id', 'approved'] };

/** What a state of a tool call brings along. */
const toolRules = {
  allOf: [
    inState('approval-requested', {
      required: ['approval'],
      properties: { approval: { type: 'object', required: ['id'] } },
    }),
    inState('approval-responded', { required: ['approval'], properties: { approval: answered } }),
    inState('output-available', { required: ['output'] }),
    inState('output-error', { required: ['errorText'] }),
  ],
};

function inState(state: string, rule: object): object {
  return when({ required: ['state'], properties: { state: { const: state } } }, rule);
}

/** One part of a UI message, as the AI SDK has them. A part of another kind is refused. */
const UiMessagePart = prefixedUnion(
  'type',
  {
    text: TextPart,
    reasoning: Type.Object({ type: Type.Literal('reasoning'), text: Type.String(), ...blockState, ...carried }),
    file: FilePart,
    'reasoning-file': Type.Object({
      type: Type.Literal('reasoning-file'),
      mediaType: Type.String(),
      url: Type.String(),
      ...carried,
    }),
    'step-start': Type.Object({ type: Type.Literal('step-start') }),
    'source-url': Type.Object({
      type: Type.Literal('source-url'),
      sourceId: Type.String(),
      url: Type.String(),
      title: Type.Optional(Type.String()),
      ...carried,
    }),
    'source-document': Type.Object({
      type: Type.Literal('source-document'),
      sourceId: Type.String(),
      mediaType: Type.String(),
      title: Type.String(),
      filename: Type.Optional(Type.String()),
      ...carried,
    }),
    custom: Type.Object({ type: Type.Literal('custom'), kind: Type.String(), ...carried }),
    'dynamic-tool': Type.Object(
      { type: Type.Literal('dynamic-tool'), toolName: Type.String({ minLength: 1 }), ...toolFields },
      toolRules,
    ),
  },
  {
    'tool-': Type.Object({ type: Type.TemplateLiteral('tool-${string}'), ...toolFields }, toolRules),
    'data-': Type.Object({
      type: Type.TemplateLiteral('data-${string}'),
      id: Type.Optional(Type.String()),
      data: Type.Optional(Type.Unknown()),
    }),
  } satisfies Record<string, TSchema>,
  { $id: 'UiMessagePart' },
);

/** A message as `useChat` holds it. */
export const UiMessage = Type.Object(
  {
    id: Type.Optional(Id),
    role: Type.Unsafe<'system' | 'user' | 'assistant'>({ type: 'string', enum: ['system', 'user', 'assistant'] }),
    metadata: Type.Optional(Type.Unknown()),
    parts: Type.Array(UiMessagePart),
  },
  { $id: 'UiMessage' },
);
export type UiMessage = Static<typeof UiMessage>;
