import { type Static, Type } from '@sinclair/typebox';
import { objectOfObjects, taggedUnion, when } from '../common-schemas.ts';

const providerFields = { providerOptions: Type.Optional(objectOfObjects()) };

/**
 * The data fields of the AI SDK as JSON: Base64 or a URL, either as a string or in a tagged object.
 */
const FileData = Type.Union([
  Type.String({ description: 'Base64, a `data:` URL, or an http(s) URL of a public address.' }),
  taggedUnion('type', {
    data: Type.Object({ type: Type.Literal('data'), data: Type.String() }),
    url: Type.Object({ type: Type.Literal('url'), url: Type.String() }),
    text: Type.Object({ type: Type.Literal('text'), text: Type.String() }),
    reference: Type.Object({
      type: Type.Literal('reference'),
      reference: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
    }),
  }),
]);

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...providerFields });
const FilePart = Type.Object({
  type: Type.Literal('file'),
  data: FileData,
  mediaType: Type.String({ minLength: 1 }),
  filename: Type.Optional(Type.String()),
  ...providerFields,
});

/** A part of a tool result. All types but text are passed to the model as JSON. */
const ResultContent = Type.Object(
  { type: Type.String() },
  {
    ...when(
      { properties: { type: { const: 'text' } } },
      { required: ['text'], properties: { text: { type: 'string' } } },
    ),
  },
);

const ToolOutput = taggedUnion('type', {
  text: Type.Object({ type: Type.Literal('text'), value: Type.String(), ...providerFields }),
  json: Type.Object({ type: Type.Literal('json'), value: Type.Unknown(), ...providerFields }),
  'error-text': Type.Object({ type: Type.Literal('error-text'), value: Type.String(), ...providerFields }),
  'error-json': Type.Object({ type: Type.Literal('error-json'), value: Type.Unknown(), ...providerFields }),
  'execution-denied': Type.Object({
    type: Type.Literal('execution-denied'),
    reason: Type.Optional(Type.String()),
    ...providerFields,
  }),
  content: Type.Object({
    type: Type.Literal('content'),
    value: Type.Array(ResultContent),
    ...providerFields,
  }),
});

const ToolResultPart = Type.Object({
  type: Type.Literal('tool-result'),
  toolCallId: Type.String({ minLength: 1 }),
  toolName: Type.String({ minLength: 1 }),
  output: ToolOutput,
  ...providerFields,
});

const UserContent = Type.Union([
  Type.String(),
  Type.Array(
    taggedUnion('type', {
      text: TextPart,
      image: Type.Object({
        type: Type.Literal('image'),
        image: FileData,
        mediaType: Type.Optional(Type.String({ minLength: 1 })),
        ...providerFields,
      }),
      file: FilePart,
    }),
  ),
]);

const AssistantContent = Type.Union([
  Type.String(),
  Type.Array(
    taggedUnion('type', {
      text: TextPart,
      reasoning: Type.Object({ type: Type.Literal('reasoning'), text: Type.String(), ...providerFields }),
      file: FilePart,
      'reasoning-file': Type.Object({
        type: Type.Literal('reasoning-file'),
        data: FileData,
        mediaType: Type.String(),
        ...providerFields,
      }),
      custom: Type.Object({ type: Type.Literal('custom'), kind: Type.String(), ...providerFields }),
      'tool-call': Type.Object({
        type: Type.Literal('tool-call'),
        toolCallId: Type.String({ minLength: 1 }),
        toolName: Type.String({ minLength: 1 }),
        input: Type.Unknown(),
        providerExecuted: Type.Optional(Type.Boolean()),
        ...providerFields,
      }),
      'tool-result': ToolResultPart,
      'tool-approval-request': Type.Object({
        type: Type.Literal('tool-approval-request'),
        approvalId: Type.String(),
        toolCallId: Type.String(),
        signature: Type.Optional(Type.String()),
      }),
    }),
  ),
]);

const ToolContent = Type.Array(
  taggedUnion('type', {
    'tool-result': ToolResultPart,
    'tool-approval-response': Type.Object({
      type: Type.Literal('tool-approval-response'),
      approvalId: Type.String(),
      approved: Type.Boolean(),
      reason: Type.Optional(Type.String()),
      input: Type.Optional(
        Type.Unknown({ description: 'Arguments that replace those of the call, in an approval: any JSON.' }),
      ),
      signature: Type.Optional(
        Type.String({
          description: 'The signature of the request, for clients that do not send the request itself back.',
        }),
      ),
      providerExecuted: Type.Optional(Type.Boolean()),
    }),
  }),
);

/** The AI SDK's `ModelMessage` as JSON. */
export const ModelMessage = taggedUnion(
  'role',
  {
    system: Type.Object({ role: Type.Literal('system'), content: Type.String(), ...providerFields }),
    user: Type.Object({ role: Type.Literal('user'), content: UserContent, ...providerFields }),
    assistant: Type.Object({ role: Type.Literal('assistant'), content: AssistantContent, ...providerFields }),
    tool: Type.Object({ role: Type.Literal('tool'), content: ToolContent, ...providerFields }),
  },
  { $id: 'ModelMessage' },
);
export type ModelMessage = Static<typeof ModelMessage>;
