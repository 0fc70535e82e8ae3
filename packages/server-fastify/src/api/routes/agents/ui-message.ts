import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  anyNullableObject,
  anyObject,
  Id,
  nullableObject,
  objectOfObjects,
  prefixedUnion,
  taggedUnion,
  when,
} from '../common-schemas.ts';
import { ToolInput, ToolOutput } from '../tools/schemas.ts';

const ProviderData = objectOfObjects({
  $id: 'ProviderData',
  description: 'Data of providers, by the name of the provider.',
});
const providerFields = { providerMetadata: Type.Optional(ProviderData) };
const blockState = { state: Type.Optional(Type.Union([Type.Literal('streaming'), Type.Literal('done')])) };

export const Citation = anyObject({ $id: 'Citation', description: 'The source of a passage of the text.' });

const FilePart = Type.Object({
  type: Type.Literal('file'),
  mediaType: Type.String({ minLength: 1 }),
  url: Type.String({ description: 'A `data:` URL, or an http(s) URL of a public address.' }),
  filename: Type.Optional(Type.String()),
  providerReference: Type.Optional(nullableObject({}, { additionalProperties: Type.String() })),
  ...providerFields,
});

const TextPart = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  citations: Type.Optional(Type.Array(Citation)),
  ...blockState,
  ...providerFields,
});

const ToolApproval = nullableObject(
  {
    id: Type.String(),
    approved: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.String()),
    input: Type.Optional(
      Type.Unknown({ description: 'Arguments that replace those of the call, in an approval: any JSON.' }),
    ),
    signature: Type.Optional(Type.String()),
    descriptor: Type.Optional(Type.Unknown({ description: 'Data of the client about the request, any JSON.' })),
    requestReason: Type.Optional(Type.String()),
    isAutomatic: Type.Optional(Type.Boolean()),
    inputSchemaInput: Type.Optional(Type.Unknown({ description: 'Arguments before parsing, any JSON.' })),
  },
  { $id: 'ToolApproval' },
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
  title: Type.Optional(Type.String()),
  toolMetadata: Type.Optional(anyNullableObject({ description: 'Metadata of the tool.' })),
  input: Type.Optional(ToolInput),
  rawInput: Type.Optional(Type.Unknown({ description: 'Unparsed arguments of the model, any JSON.' })),
  inputEncoding: Type.Optional(Type.Union([Type.Literal('json'), Type.Literal('text')])),
  output: Type.Optional(ToolOutput),
  preliminary: Type.Optional(Type.Boolean()),
  errorText: Type.Optional(Type.String()),
  approval: Type.Optional(ToolApproval),
  providerExecuted: Type.Optional(Type.Boolean()),
  callProviderMetadata: Type.Optional(ProviderData),
  resultProviderMetadata: Type.Optional(ProviderData),
};

const answered = { type: 'object', required: ['id', 'approved'] };

/** The fields that each state of a tool call requires. */
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

/** One part of a UI message of the AI SDK. Parts of other types are refused. */
export const UiMessagePart = prefixedUnion(
  'type',
  {
    text: TextPart,
    reasoning: Type.Object({
      type: Type.Literal('reasoning'),
      id: Type.Optional(Type.String()),
      text: Type.String(),
      ...blockState,
      ...providerFields,
    }),
    file: FilePart,
    'reasoning-file': Type.Object({
      type: Type.Literal('reasoning-file'),
      mediaType: Type.String(),
      url: Type.String(),
      ...providerFields,
    }),
    'step-start': Type.Object({ type: Type.Literal('step-start') }),
    'source-url': Type.Object({
      type: Type.Literal('source-url'),
      sourceId: Type.String(),
      url: Type.String(),
      title: Type.Optional(Type.String()),
      ...providerFields,
    }),
    'source-document': Type.Object({
      type: Type.Literal('source-document'),
      sourceId: Type.String(),
      mediaType: Type.String(),
      title: Type.String(),
      filename: Type.Optional(Type.String()),
      ...providerFields,
    }),
    custom: Type.Object({ type: Type.Literal('custom'), kind: Type.String(), ...providerFields }),
    'steering-message': Type.Object({
      type: Type.Literal('steering-message'),
      id: Type.String(),
      parts: Type.Array(taggedUnion('type', { text: TextPart, file: FilePart })),
    }),
    'dynamic-tool': Type.Object(
      {
        type: Type.Literal('dynamic-tool'),
        toolName: Type.String({ minLength: 1 }),
        dynamic: Type.Optional(Type.Boolean()),
        ...toolFields,
      },
      toolRules,
    ),
  },
  {
    'tool-': Type.Object({ type: Type.TemplateLiteral('tool-${string}'), ...toolFields }, toolRules),
    'data-': Type.Object({
      type: Type.TemplateLiteral('data-${string}'),
      id: Type.Optional(Type.String()),
      data: Type.Optional(Type.Unknown({ description: 'Data of the app, any JSON.' })),
    }),
  } satisfies Record<string, TSchema>,
  { $id: 'UiMessagePart' },
);

/** A UI message of the AI SDK, as `useChat` stores it. */
export const UiMessage = Type.Object(
  {
    id: Type.Optional(Id),
    role: Type.Unsafe<'system' | 'user' | 'assistant'>({ type: 'string', enum: ['system', 'user', 'assistant'] }),
    metadata: Type.Optional(Type.Unknown({ description: 'Metadata of the app, any JSON.' })),
    parts: Type.Array(UiMessagePart),
  },
  { $id: 'UiMessage' },
);
export type UiMessage = Static<typeof UiMessage>;
