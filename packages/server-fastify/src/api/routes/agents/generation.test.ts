import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { agents, answer, hanging, plain, post, seen, usage } from '../../../testing/generation.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';

let server: Served;
let origin: string;
beforeAll(async () => {
  server = await serve([], { agents });
  ({ origin } = server);
});
afterAll(() => server.close());

it('replies with the text and the usage', async () => {
  expect(await answer(origin, 'plain/text', { input: 'hi' })).toEqual({
    success: true,
    data: {
      text: 'Hi "you"',
      usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7, cachedInputTokens: 1, reasoningTokens: 2 },
      finishReason: 'stop',
      toolCalls: [],
      toolResults: [],
    },
  });
});

it('returns the tool calls and results of all steps, and the conversation', async () => {
  const call = { toolCallId: 'c1', toolName: 'getWeather', input: { city: 'Rome' } };
  expect(
    await answer(origin, 'weather/text', {
      input: 'Weather?',
      options: { conversationId: 'c', userId: 'u', context: { tenant: 1 } },
    }),
  ).toEqual({
    success: true,
    data: {
      text: '21°',
      usage: usage(6, 8),
      finishReason: 'stop',
      toolCalls: [call],
      toolResults: [{ ...call, output: { degrees: 21 } }],
      conversationId: 'c',
    },
    warnings: ['Agent "weather" has no memory: the conversation is not stored'],
  });
  expect(seen.at(-1)).toEqual({ city: 'Rome', context: { tenant: 1 }, conversationId: 'c', userId: 'u' });
});

it('prefers the nested memory settings to the flat ones', async () => {
  await answer(origin, 'weather/text', {
    input: 'x',
    options: { userId: 'flat', conversationId: 'flat', memory: { userId: 'nested', conversationId: 'deep' } },
  });
  expect(seen.at(-1)).toMatchObject({ userId: 'nested', conversationId: 'deep' });
});

it('returns a call that waits for approval, with the fields that the answer must contain', async () => {
  expect(await answer(origin, 'payer/text', { input: 'pay' })).toMatchObject({
    data: {
      finishReason: 'tool-calls',
      toolCalls: [{ toolCallId: 'c1', approvalId: expect.any(String), signature: expect.any(String) }],
      toolResults: [],
    },
  });
});

it('passes only documented options to the model', async () => {
  const options = {
    temperature: 0.1,
    maxOutputTokens: 7,
    topP: 0.5,
    frequencyPenalty: 1,
    presencePenalty: 2,
    seed: 9,
    stopSequences: ['x'],
    providerOptions: { p: { a: 1 } },
  };
  await answer(origin, 'plain/text', {
    input: 'hi',
    options: { ...options, topK: 5, headers: { a: 'b' }, prompt: 'p', model: 'm' },
    tools: [],
    signal: 1,
  });
  expect(plain.calls.at(-1)).toEqual({ ...options, prompt: expect.any(Array), abortSignal: expect.any(AbortSignal) });
});

it('accepts UI messages and model messages, and moves system messages after the instructions of the agent', async () => {
  const prompt = [
    { role: 'system', content: 'Own.\n\nBe brief.' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ];
  await answer(origin, 'plain/text', {
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
  });
  expect(plain.calls.at(-1)?.prompt).toEqual(prompt);

  const text = (value: string) => [{ type: 'text', text: value }];
  await answer(origin, 'plain/text', {
    input: [
      { role: 'system', parts: text('Be brief.') },
      { role: 'user', parts: text('hi') },
    ],
  });
  expect(plain.calls.at(-1)?.prompt).toEqual(prompt);
});

it.each<readonly [string, unknown, number, string, string]>([
  ['unknown/text', { input: 'hi' }, 404, 'AGENT_NOT_FOUND', 'Agent not found: unknown'],
  ['plain/text', { input: [] }, 400, 'INVALID_INPUT', 'body/input must NOT have fewer than 1 items'],
  [
    'plain/text',
    { input: 'hi', options: { temperature: 2 } },
    400,
    'INVALID_INPUT',
    'body/options/temperature must be <= 1',
  ],
  [
    'plain/text',
    {
      input: [
        { role: 'user', parts: [] },
        { role: 'user', content: 'x' },
      ],
    },
    400,
    'INVALID_INPUT',
    'body/input must hold either UI messages (with parts) or model messages (with content), not both',
  ],
  [
    'strict/text',
    { input: [{ role: 'system', content: 'x' }] },
    400,
    'SYSTEM_MESSAGES_NOT_ACCEPTED',
    'body/input must not contain messages of role system: this agent does not accept them',
  ],
  ['failing/text', { input: 'hi' }, 500, 'MODEL_FAILED', 'The model of agent "failing" failed'],
])('answers %s with %j by %i', async (path, body, status, code, error) => {
  const response = await post(origin, path, body);
  expect(response.status).toBe(status);
  expect(response.headers.get('x-error-code')).toBe(code);
  expect(JSON.parse(response.text)).toEqual({ success: false, error });
});

it.each<readonly [string, unknown]>([
  ['a URL that is none', [{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'not a url' }] }]],
  [
    'an address inside',
    [{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'http://127.0.0.1/a.png' }] }],
  ],
  ['a scheme that is not fetched', [{ role: 'user', content: [{ type: 'image', image: 'file:///etc/passwd' }] }]],
  [
    'a reasoning file that is none',
    [{ role: 'assistant', parts: [{ type: 'reasoning-file', mediaType: 'image/png', url: '' }] }],
  ],
  [
    'a tagged URL that is none',
    [{ role: 'user', content: [{ type: 'file', mediaType: 'a/b', data: { type: 'url', url: 'x' } }] }],
  ],
])('refuses a file with %s with 400', async (_, input) => {
  const { status, text } = await post(origin, 'plain/text', { input });
  expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('"success":false') });
});

const tool = { type: 'tool-x', toolCallId: 'c1' };
const unread = {
  type: 'tool-result',
  toolCallId: 'c',
  toolName: 'x',
  output: { type: 'content', value: [{ type: 'image-url' }] },
};
it.each([
  [{ role: 'assistant', content: '' }],
  [
    {
      role: 'assistant',
      parts: [
        { ...tool, state: 'input-available' },
        { ...tool, state: 'output-available', output: null },
      ],
    },
  ],
  [{ role: 'assistant', parts: [{ ...tool, state: 'output-denied' }] }],
  [
    {
      role: 'assistant',
      parts: [{ ...tool, state: 'output-error', errorText: '', approval: null, callProviderMetadata: null }],
    },
  ],
  [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'x', input: null }] }],
  [{ role: 'tool', content: [unread] }],
  [{ role: 'user', content: [{ type: 'text', text: 'x', providerOptions: null }], providerOptions: null }],
])('accepts an unusual message: %j', async (message) => {
  expect(await post(origin, 'plain/text', { input: [message] })).toMatchObject({ status: 200 });
});

it.each([
  ' ',
  [{ role: 'user', parts: [] }],
  [{ role: 'user', content: [] }],
  [{ role: 'user', parts: [{ ...tool, state: 'output-available', output: 1 }] }],
])('refuses a message with nothing for the model with 400: %j', async (input) => {
  const { status, text } = await post(origin, 'plain/text', { input });
  expect({ status, error: JSON.parse(text).error }).toEqual({
    status: 400,
    error: 'body/input must end with a message that has text or a file: this one has neither',
  });
});

it('aborts the model when the client disconnects', async () => {
  const client = new AbortController();
  const before = hanging.calls.length;
  const request = fetch(`${origin}/agents/hanging/text`, { ...json({ input: 'hi' }), signal: client.signal });
  const outcome = request.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.name : error),
  );
  await vi.waitUntil(() => hanging.calls.length > before, { timeout: 60_000 });
  const abortsBefore = hanging.abortsSeen;

  client.abort();

  expect(await outcome).toBe('AbortError');
  await vi.waitUntil(() => hanging.abortsSeen > abortsBefore, { timeout: 60_000 });
});
