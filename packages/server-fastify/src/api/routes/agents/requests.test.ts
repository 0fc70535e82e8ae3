import type { TSchema } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { createPartValidator } from '../../../http/endpoints/validation.ts';
import { ToolExecutionRequest } from '../tools/schemas.ts';
import { ChatRequest, GenerationRequest, ObjectRequest } from './schemas.ts';

/** The error that a client gets for a body; undefined if the body is accepted. */
function verdictOf(schema: TSchema): (body: unknown) => string | undefined {
  const validate = createPartValidator(schema, 'body');
  return (body) => {
    const result = validate(body);
    return 'error' in result ? result.error.message : undefined;
  };
}

const generation = verdictOf(GenerationRequest);
const chat = verdictOf(ChatRequest);
const object = verdictOf(ObjectRequest);
const execution = verdictOf(ToolExecutionRequest);

const tool = { type: 'tool-getWeather', toolCallId: 'c1', input: { city: 'Rome' } };

it.each<readonly [string, unknown]>([
  ['a text', 'hi'],
  ['a UI message without id', [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]],
  ['a system UI message', [{ id: 'm1', role: 'system', parts: [{ type: 'text', text: 'be kind' }] }]],
  [
    'a UI message with a file',
    [
      {
        role: 'user',
        parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'a.png' }],
      },
    ],
  ],
  [
    'an assistant UI message with every kind of part',
    [
      {
        id: 'm1',
        role: 'assistant',
        metadata: { cost: 1 },
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'hm', state: 'done', providerMetadata: { openai: { itemId: 'x' } } },
          { type: 'text', text: 'hi', state: 'streaming' },
          { type: 'text', text: 'see there', citations: [{ type: 'citation', source: { sourceType: 'url' } }] },
          { type: 'steering-message', id: 's1', parts: [{ type: 'text', text: 'shorter, please' }] },
          { type: 'source-url', sourceId: 's', url: 'https://example.com' },
          { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: 'T' },
          { type: 'data-note', data: { a: 1 } },
          { ...tool, state: 'input-streaming' },
          { ...tool, state: 'input-available' },
          { ...tool, state: 'approval-requested', approval: { id: 'a1', signature: 's' } },
          {
            ...tool,
            state: 'approval-responded',
            approval: { id: 'a1', approved: false, reason: 'no', signature: 's' },
          },
          { ...tool, state: 'output-available', output: null },
          { ...tool, state: 'output-error', errorText: 'x' },
          { ...tool, state: 'output-denied', approval: { id: 'a1', approved: false } },
          { ...tool, type: 'dynamic-tool', toolName: 'other', state: 'output-available', output: 1 },
        ],
      },
    ],
  ],
  [
    'model messages',
    [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'u' }] },
    ],
  ],
  [
    'model messages with files, calls, results and an approval',
    [
      {
        role: 'user',
        content: [
          { type: 'image', image: 'https://example.com/a.png' },
          { type: 'file', data: { type: 'data', data: 'AA==' }, mediaType: 'application/pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'x' } } },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'getWeather', input: {} },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1', signature: 's' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'getWeather', output: { type: 'json', value: { t: 1 } } },
          {
            type: 'tool-result',
            toolCallId: 'c2',
            toolName: 'x',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'x' },
                { type: 'image-url', url: 'https://x' },
              ],
            },
          },
          { type: 'tool-approval-response', approvalId: 'a1', approved: true, signature: 's' },
        ],
      },
    ],
  ],
])('accepts as input %s', (_, input) => {
  expect(generation({ input })).toBeUndefined();
});

it.each<readonly [unknown, string]>([
  [{}, "body must have required property 'input'"],
  ['text', 'body must be object'],
  [{ input: 5 }, 'body/input must be string or array'],
  [{ input: null }, 'body/input must be string or array'],
  [{ input: {} }, 'body/input must be string or array'],
  [{ input: [] }, 'body/input must NOT have fewer than 1 items'],
  [{ input: ['hi'] }, 'body/input/0 must be object'],
  [{ input: [{}] }, "body/input/0 must have required property 'role'"],
  [{ input: [{ role: 'user' }] }, "body/input/0 must have required property 'content'"],
  [
    { input: [{ role: 'bad', content: 'x' }] },
    'body/input/0/role must be equal to one of the allowed values: "system", "user", "assistant", "tool"',
  ],
  [
    { input: [{ role: 5, content: 'x' }] },
    'body/input/0/role must be equal to one of the allowed values: "system", "user", "assistant", "tool"',
  ],
  [
    { input: [{ role: 'tool', parts: [] }] },
    'body/input/0/role must be equal to one of the allowed values: "system", "user", "assistant"',
  ],
  [{ input: [{ role: 'user', parts: 'x' }] }, 'body/input/0/parts must be array'],
  [
    { input: [{ id: 'a b', role: 'user', parts: [] }] },
    'body/input/0/id must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
  ],
  [{ input: [{ role: 'user', parts: [{ type: 'text' }] }] }, "body/input/0/parts/0 must have required property 'text'"],
  [{ input: [{ role: 'user', parts: [{ text: 'x' }] }] }, "body/input/0/parts/0 must have required property 'type'"],
  [{ input: [{ role: 'user', parts: [{ type: 'text', text: 5 }] }] }, 'body/input/0/parts/0/text must be string'],
  [
    { input: [{ role: 'user', parts: [{ type: 'file', url: 'data:,' }] }] },
    "body/input/0/parts/0 must have required property 'mediaType'",
  ],
  [
    { input: [{ role: 'assistant', parts: [{ type: 'tool-x', state: 'input-available' }] }] },
    "body/input/0/parts/0 must have required property 'toolCallId'",
  ],
  [
    { input: [{ role: 'assistant', parts: [{ ...tool, state: 'output-error' }] }] },
    "body/input/0/parts/0 must have required property 'errorText'",
  ],
  [
    { input: [{ role: 'assistant', parts: [{ ...tool, state: 'approval-responded', approval: { id: 'a' } }] }] },
    "body/input/0/parts/0/approval must have required property 'approved'",
  ],
  [{ input: [{ role: 'user', content: 5 }] }, 'body/input/0/content must be string or array'],
  [{ input: [{ role: 'system', content: [] }] }, 'body/input/0/content must be string'],
  [
    { input: [{ role: 'user', content: [{ type: 'text' }] }] },
    "body/input/0/content/0 must have required property 'text'",
  ],
  [
    { input: [{ role: 'user', content: [{ type: 'video' }] }] },
    'body/input/0/content/0/type must be equal to one of the allowed values: "text", "image", "file"',
  ],
  [
    { input: [{ role: 'user', content: [{ type: 'image', image: 5 }] }] },
    'body/input/0/content/0/image must be string or object',
  ],
  [{ input: [{ role: 'tool', content: 'x' }] }, 'body/input/0/content must be array'],
  [
    { input: [{ role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a' }] }] },
    "body/input/0/content/0 must have required property 'approved'",
  ],
])('refuses %j', (body, sentence) => {
  expect(generation(body)).toBe(sentence);
});

it('lists the allowed types of parts of a UI message', () => {
  expect(generation({ input: [{ role: 'user', parts: [{ type: 'video' }] }] })).toMatch(
    /^body\/input\/0\/parts\/0\/type must match pattern "\^\(text\|reasoning\|file\|.*tool-\.\+\|data-\.\+\)\$"$/,
  );
});

it.each<readonly [string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  [
    'every field',
    {
      userId: 'ada-5f',
      conversationId: 'c:1',
      contextLimit: 0,
      maxSteps: 50,
      temperature: 1,
      maxOutputTokens: 1,
      topP: 0,
      frequencyPenalty: 2,
      presencePenalty: 0,
      seed: -3,
      stopSequences: ['END'],
      providerOptions: { openai: { reasoningEffort: 'low' } },
      context: { tenant: 1 },
      memory: {
        userId: 'u',
        conversationId: 'c',
        options: {
          contextLimit: 3,
          readOnly: true,
          semanticMemory: { enabled: true, semanticLimit: 5, semanticThreshold: 0.5, mergeStrategy: 'append' },
          conversationPersistence: { mode: 'step', debounceMs: 200, flushOnToolResult: true },
        },
      },
    },
  ],
  ['null for object fields', { providerOptions: null, context: null, memory: null }],
  ['null for nested object fields', { memory: { options: { semanticMemory: null, conversationPersistence: null } } }],
  ['unknown fields', { whatever: 5, memory: { more: [] } }],
])('accepts as options %s', (_, options) => {
  expect(generation({ input: 'hi', options, more: true })).toBeUndefined();
});

it.each<readonly [unknown, string]>([
  [5, 'options must be object or null'],
  [[], 'options must be object or null'],
  [{ temperature: 1.1 }, 'options/temperature must be <= 1'],
  [{ temperature: -0.1 }, 'options/temperature must be >= 0'],
  [{ temperature: '0.5' }, 'options/temperature must be number'],
  [{ temperature: null }, 'options/temperature must be number'],
  [{ topP: 2 }, 'options/topP must be <= 1'],
  [{ frequencyPenalty: 2.5 }, 'options/frequencyPenalty must be <= 2'],
  [{ presencePenalty: -1 }, 'options/presencePenalty must be >= 0'],
  [{ maxOutputTokens: 0 }, 'options/maxOutputTokens must be >= 1'],
  [{ maxOutputTokens: 1.5 }, 'options/maxOutputTokens must be integer'],
  [{ maxSteps: 0 }, 'options/maxSteps must be >= 1'],
  [{ maxSteps: 51 }, 'options/maxSteps must be <= 50'],
  [{ contextLimit: -1 }, 'options/contextLimit must be >= 0'],
  [{ seed: 0.5 }, 'options/seed must be integer'],
  [{ stopSequences: 'END' }, 'options/stopSequences must be array'],
  [{ stopSequences: [1] }, 'options/stopSequences/0 must be string'],
  [{ providerOptions: { openai: 5 } }, 'options/providerOptions/openai must be object'],
  [{ context: 'x' }, 'options/context must be object or null'],
  [{ userId: null }, 'options/userId must be string'],
  [{ userId: 'a\nb' }, 'options/userId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"'],
  [{ conversationId: 'a b' }, 'options/conversationId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"'],
  [
    { memory: { conversationId: '' } },
    'options/memory/conversationId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
  ],
  [{ memory: { options: { readOnly: 1 } } }, 'options/memory/options/readOnly must be boolean'],
  [
    { memory: { options: { conversationPersistence: { mode: 'never' } } } },
    'options/memory/options/conversationPersistence/mode must be equal to one of the allowed values: "step", "finish"',
  ],
])('refuses the options %j', (options, sentence) => {
  expect(generation({ input: 'hi', options })).toBe(`body/${sentence}`);
});

it('accepts a generation request or the body of the chat transport for a chat', () => {
  const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
  expect(chat({ input: 'hi' })).toBeUndefined();
  expect(chat({ id: 'c1', messages, trigger: 'submit-message', messageId: 'm' })).toBeUndefined();
  expect(chat({})).toBe("body must have required property 'input'");
  expect(chat({ messages: [] })).toBe('body/messages must NOT have fewer than 1 items');
  expect(chat({ messages: 'hi' })).toBe('body/messages must be array');
  expect(chat({ messages, id: '../x' })).toBe('body/id must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"');
});

it('requires a schema for an object', () => {
  expect(object({ input: 'hi', schema: { type: 'object' } })).toBeUndefined();
  expect(object({ input: 'hi' })).toBe("body must have required property 'schema'");
  expect(object({ input: 'hi', schema: null })).toBe('body/schema must be object');
  expect(object({ input: 'hi', schema: 'x' })).toBe('body/schema must be object');
});

it('requires the input of a tool, but does not validate it', () => {
  expect(execution({ input: 5, context: null })).toBeUndefined();
  expect(execution({})).toBe("body must have required property 'input'");
  expect(execution({ input: {}, userId: 5 })).toBe('body/userId must be string');
});
