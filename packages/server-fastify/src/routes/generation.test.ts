import { once } from 'node:events';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { json, serve, type Served } from '../testing/serve.ts';

const seen: unknown[] = [];
const signals: AbortSignal[] = [];
const weather = createTool({
  name: 'getWeather',
  description: 'Weather',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }, { context, conversationId, userId }) => {
    seen.push({ city, context, conversationId, userId });
    return { degrees: 21 };
  },
});
const pay = createTool({
  name: 'pay',
  description: 'Pays',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: true,
  execute: () => 'paid',
});
const waiting = createTool({
  name: 'waiting',
  description: '',
  input: Type.Object({}),
  execute: (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  },
});

const callsWeather = {
  toolCalls: [{ toolName: 'getWeather', toolCallId: 'c1', input: { city: 'Rome' } }],
  usage: { inputTokens: 1, outputTokens: 2 },
};
const plain = scriptedModel({
  text: ['Hi ', '"you"'],
  usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1, reasoningTokens: 2 },
});
const hanging = scriptedModel({ text: ['so far'], hangs: true });
/** Asks the weather when there is no result yet. */
const asking = scriptedModel(({ prompt }) =>
  prompt.at(-1)?.role === 'tool' ? { text: '21°', usage: { inputTokens: 5, outputTokens: 6 } } : callsWeather,
);
const failing = { message: 'https://provider/?key=secret' };

const helper = new Agent({ id: 'helper', model: scriptedModel('inner') });
const agents = [
  new Agent({ id: 'plain', model: plain, instructions: 'Own.' }),
  new Agent({ id: 'strict', model: plain, acceptSystemMessages: false }),
  new Agent({ id: 'weather', model: asking, tools: [weather] }),
  new Agent({
    id: 'payer',
    model: scriptedModel({ toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 5 } }] }),
    tools: [pay],
  }),
  new Agent({
    id: 'boss',
    model: scriptedModel({ toolCalls: [{ toolName: 'ask_helper', toolCallId: 'c1', input: { task: 'x' } }] }, 'done'),
    subAgents: [helper],
  }),
  new Agent({ id: 'hanging', model: hanging }),
  new Agent({
    id: 'waiting',
    model: scriptedModel({ toolCalls: [{ toolName: 'waiting', input: {} }] }),
    tools: [waiting],
  }),
  new Agent({ id: 'failing', model: scriptedModel({ error: failing }) }),
  new Agent({ id: 'breaking', model: scriptedModel({ text: ['so far'], error: failing, failAfterText: true }) }),
  new Agent({ id: 'object', model: scriptedModel({ text: ['{"name":"A', 'da","age":', '36}'] }) }),
  new Agent({ id: 'scalar', model: scriptedModel('nothing of the kind') }),
];

let server: Served;
beforeAll(async () => {
  server = await serve([], { agents });
});
afterAll(() => server.close());

async function post(path: string, body: unknown): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${server.origin}/agents/${path}`, json(body));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function answer(path: string, body: unknown): Promise<unknown> {
  const { text } = await post(path, body);
  return JSON.parse(text);
}

/** The events of a stream; every one must be a `data:` line and a blank one. */
async function events(path: string, body: unknown): Promise<Record<string, unknown>[]> {
  const { headers, status, text } = await post(path, body);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(text).toMatch(/^(data: [^\n]+\n\n)*$/);
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => JSON.parse(frame.slice('data: '.length)));
}

const usage = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

describe('text', () => {
  it('answers with the text and what it cost', async () => {
    expect(await answer('plain/text', { input: 'hi' })).toEqual({
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

  it('tells the calls and results of all steps, and the conversation', async () => {
    const call = { toolCallId: 'c1', toolName: 'getWeather', input: { city: 'Rome' } };
    expect(
      await answer('weather/text', {
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
    });
    expect(seen.at(-1)).toEqual({ city: 'Rome', context: { tenant: 1 }, conversationId: 'c', userId: 'u' });
  });

  it('lets the nested memory settings win over the flat ones', async () => {
    await answer('weather/text', {
      input: 'x',
      options: { userId: 'flat', conversationId: 'flat', memory: { userId: 'nested', conversationId: 'deep' } },
    });
    expect(seen.at(-1)).toMatchObject({ userId: 'nested', conversationId: 'deep' });
  });

  it('tells of a call that waits for a person, with what the answer must carry', async () => {
    expect(await answer('payer/text', { input: 'pay' })).toMatchObject({
      data: {
        finishReason: 'tool-calls',
        toolCalls: [{ toolCallId: 'c1', approvalId: expect.any(String), signature: expect.any(String) }],
        toolResults: [],
      },
    });
  });

  it('hands the options of the contract to the model and nothing else', async () => {
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
    await answer('plain/text', {
      input: 'hi',
      options: { ...options, topK: 5, headers: { a: 'b' }, prompt: 'p', model: 'm' },
      tools: [],
      signal: 1,
    });
    expect(plain.calls.at(-1)).toEqual({ ...options, prompt: expect.any(Array), abortSignal: expect.any(AbortSignal) });

    await answer('plain/text', { input: 'hi', options: null });
    expect(plain.calls.at(-1)).toMatchObject({
      temperature: 0.7,
      maxOutputTokens: 4000,
      topP: 1,
      frequencyPenalty: 0,
      presencePenalty: 0,
    });
  });

  it('takes UI messages and model messages, and lifts system messages behind the own instructions', async () => {
    const prompt = [
      { role: 'system', content: 'Own.\n\nBe brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ];
    await answer('plain/text', {
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
    expect(plain.calls.at(-1)?.prompt).toEqual(prompt);

    const text = (value: string) => [{ type: 'text', text: value }];
    await answer('plain/text', {
      input: [
        { role: 'system', parts: text('Be brief.') },
        { role: 'user', parts: text('hi') },
      ],
    });
    expect(plain.calls.at(-1)?.prompt).toEqual(prompt);
  });

  it.each<readonly [string, unknown, number, string, string]>([
    ['nobody/text', { input: 'hi' }, 404, 'AGENT_NOT_FOUND', 'Agent not found: nobody'],
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
    const response = await post(path, body);
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
  ])('refuses by 400 a file with %s', async (_, input) => {
    const { status, text } = await post('plain/text', { input });
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
    [{ role: 'user', parts: [] }],
    [{ role: 'user', content: [] }],
    [{ role: 'assistant', content: '' }],
    [{ role: 'user', parts: [{ ...tool, state: 'output-available', output: 1 }] }],
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
  ])('answers an odd message too: %j', async (message) => {
    expect(await post('plain/text', { input: [message] })).toMatchObject({ status: 200 });
  });

  it('aborts the model when the client leaves', async () => {
    const client = new AbortController();
    const before = hanging.calls.length;
    const request = fetch(`${server.origin}/agents/hanging/text`, { ...json({ input: 'hi' }), signal: client.signal });
    const outcome = request.then(
      () => 'answered',
      (error: unknown) => (error instanceof Error ? error.name : error),
    );
    await vi.waitUntil(() => hanging.calls.length > before);
    const abortsBefore = hanging.abortsSeen;

    client.abort();

    expect(await outcome).toBe('AbortError');
    await vi.waitUntil(() => hanging.abortsSeen > abortsBefore, { timeout: 1000 });
  });
});

describe('stream', () => {
  it('tells a tool round trip event by event', async () => {
    const call = { toolCallId: 'c1', toolName: 'getWeather', input: { city: 'Rome' } };
    expect(await events('weather/stream', { input: 'Weather?' })).toEqual([
      { type: 'start' },
      { type: 'start-step' },
      { type: 'tool-input-start', id: 'c1', toolName: 'getWeather' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"city":"Rome"}' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', ...call },
      { type: 'tool-result', ...call, output: { degrees: 21 } },
      { type: 'finish-step', finishReason: 'tool-calls', usage: usage(1, 2) },
      { type: 'start-step' },
      { type: 'text-start', id: 't0' },
      { type: 'text-delta', id: 't0', delta: '21°' },
      { type: 'text-end', id: 't0' },
      { type: 'finish-step', finishReason: 'stop', usage: usage(5, 6) },
      { type: 'finish', finishReason: 'stop', usage: usage(6, 8) },
    ]);
  });

  it('marks what a sub-agent says', async () => {
    const inner = (await events('boss/stream', { input: 'x' })).filter(({ agentId }) => agentId !== undefined);
    expect(inner.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(inner[3]).toEqual({
      type: 'text-delta',
      id: 't0',
      delta: 'inner',
      agentId: 'helper',
      agentPath: ['boss', 'helper'],
    });
  });

  it('ends with an error event when the model breaks off, without the words of the provider', async () => {
    const told = await events('breaking/stream', { input: 'x' });
    expect(told.at(-1)).toEqual({ type: 'error', error: 'The model of agent "breaking" failed' });
    expect(told).toContainEqual({ type: 'text-delta', id: 't0', delta: 'so far' });
  });

  it.each(['stream', 'chat', 'stream-object'])('answers /%s of an agent that is not there as JSON', async (route) => {
    const { headers, status, text } = await post(`nobody/${route}`, { input: 'hi', schema: { type: 'object' } });
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toEqual({ success: false, error: 'Agent not found: nobody' });
  });

  it('refuses what is wrong with the request as JSON, before the stream starts', async () => {
    const { headers, status } = await post('strict/stream', { input: [{ role: 'system', content: 'x' }] });
    expect(status).toBe(400);
    expect(headers.get('x-error-code')).toBe('SYSTEM_MESSAGES_NOT_ACCEPTED');
  });

  it.each(['stream', 'chat', 'stream-object'])(
    'aborts the model within a second when the client of /%s leaves',
    async (route) => {
      const client = new AbortController();
      const abortsBefore = hanging.abortsSeen;
      const response = await fetch(`${server.origin}/agents/hanging/${route}`, {
        ...json({ input: 'hi', schema: { type: 'object' } }),
        signal: client.signal,
      });
      expect(response.status).toBe(200);
      await vi.waitUntil(() => hanging.calls.at(-1)?.abortSignal?.aborted === false);

      client.abort();

      await vi.waitUntil(() => hanging.abortsSeen > abortsBefore, { timeout: 1000 });
    },
  );

  it('aborts a running tool when the client leaves', async () => {
    const client = new AbortController();
    await fetch(`${server.origin}/agents/waiting/stream`, { ...json({ input: 'hi' }), signal: client.signal });
    const signal = await vi.waitUntil(() => signals[0]);
    const aborted = once(signal, 'abort');
    expect(signal.aborted).toBe(false);

    client.abort();

    await aborted;
  });
});

describe('object', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
  };

  it('answers with the object itself', async () => {
    expect(await answer('object/object', { input: 'Who?', schema })).toEqual({
      success: true,
      data: { name: 'Ada', age: 36 },
    });
  });

  it('streams the object as it is written, then the whole one', async () => {
    const told = await events('object/stream-object', { input: 'Who?', schema });
    expect(told.length).toBeGreaterThan(1);
    for (const event of told.slice(0, -1)) expect(event).toEqual({ type: 'partial', object: expect.any(Object) });
    expect(told.at(-1)).toEqual({ type: 'object', object: { name: 'Ada', age: 36 }, usage: usage(10, 5) });
  });

  it('says so when no object comes that fits', async () => {
    const { headers, status, text } = await post('scalar/object', { input: 'Who?', schema });
    expect(status).toBe(500);
    expect(headers.get('x-error-code')).toBe('OBJECT_NOT_GENERATED');
    expect(JSON.parse(text)).toEqual({
      success: false,
      error: 'Agent "scalar" did not produce an object that fits the schema',
    });

    const told = await events('scalar/stream-object', { input: 'Who?', schema });
    expect(told).toEqual([{ type: 'error', error: 'Agent "scalar" did not produce an object that fits the schema' }]);
  });

  it.each(['object', 'stream-object'])('refuses a schema for /%s that cannot be used', async (route) => {
    expect(await answer(`object/${route}`, { input: 'x' })).toEqual({
      success: false,
      error: "body must have required property 'schema'",
    });
    for (const wrong of [
      { type: 'string' },
      { type: 'object', properties: 5 },
      { type: 'object', $ref: 'https://example.com/schema' },
    ]) {
      const { status, text } = await post(`object/${route}`, { input: 'x', schema: wrong });
      expect(status).toBe(400);
      expect(text).toContain('body/schema');
    }
  });
});
