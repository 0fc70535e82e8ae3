import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { toTextReply } from '../../chat/to-text-reply.ts';
import { providerError } from '../../model/testing/provider-error.ts';
import { collectEvents, fixedClock, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { Agent } from '../agent.ts';

const services = { logger: silentLogger };
const weather = createTool({
  name: 'getWeather',
  description: 'Current weather',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => ({ city, celsius: 21 }),
});
const callWeather = (city: string, toolCallId = 'call-1') => ({
  toolCalls: [{ toolName: 'getWeather', input: { city }, toolCallId }],
});

it('emits a text in order: start, step, text in pieces, finish', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('Hello world') });

  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedInputTokens: 0, reasoningTokens: 0 };
  expect(await collectEvents(await agent.streamText('Hi'))).toEqual([
    { type: 'start' },
    { type: 'start-step' },
    { type: 'text-start', id: 't0' },
    { type: 'text-delta', id: 't0', delta: 'Hello ' },
    { type: 'text-delta', id: 't0', delta: 'world' },
    { type: 'text-end', id: 't0' },
    { type: 'finish-step', finishReason: 'stop', usage },
    { type: 'finish', finishReason: 'stop', usage, messageMetadata: { usage, modelId: 'scripted' } },
  ]);
});

it('runs a tool, sends its result to the model, and emits both', async () => {
  const model = scriptedModel(callWeather('Paris'), 'Mild.');
  const agent = new Agent({ id: 'a', model, tools: [weather] });

  const events = await collectEvents(await agent.streamText('Weather?'));

  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-end',
    'tool-call',
    'tool-result',
    'finish-step',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  const call = { toolCallId: 'call-1', toolName: 'getWeather', input: { city: 'Paris' } };
  expect(events).toContainEqual({ type: 'tool-call', ...call });
  expect(events).toContainEqual({ type: 'tool-result', ...call, output: { city: 'Paris', celsius: 21 } });
  expect(model.calls[0]?.tools).toEqual([expect.objectContaining({ type: 'function', name: 'getWeather' })]);
  expect(model.calls[1]?.prompt).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
    { role: 'assistant', content: [{ type: 'tool-call', ...call }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call-1',
          toolName: 'getWeather',
          output: { type: 'json', value: { city: 'Paris', celsius: 21 } },
        },
      ],
    },
  ]);
});

it('has the same result whether it streams or not', async () => {
  const agentOf = () =>
    new Agent({
      id: 'a',
      model: scriptedModel({ text: 'Let me look.', ...callWeather('Paris') }, { reasoning: 'Hm.', text: 'Mild.' }),
      tools: [weather],
    });

  const options = { conversationId: 'c', services: { clock: fixedClock() } };
  const stream = await agentOf().streamText('Weather?', options);
  await collectEvents(stream);

  expect(await agentOf().generateText('Weather?', options)).toEqual(await stream.result);
});

it.each([false, true])('keeps to the model that answered, until it fails itself (streaming: %s)', async (streams) => {
  const down = { error: new Error('down') };
  const first = scriptedModel(down, 'From the first.');
  const second = scriptedModel(callWeather('Paris'), callWeather('Rome', 'call-2'), down);
  const agent = new Agent({ id: 'a', model: [first, second], tools: [weather], retries: { maxRetries: 0 } });

  const { text } = streams
    ? await (
        await agent.streamText('Weather?', { services })
      ).result
    : await agent.generateText('Weather?', { services });

  expect(text).toBe('From the first.');
  expect([first.calls.length, second.calls.length]).toEqual([2, 3]);
});

it('joins the texts of its steps by a blank line and sums calls, results and usage for replies over HTTP', async () => {
  const model = scriptedModel(
    {
      text: 'Let me look.',
      ...callWeather('Paris'),
      usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 },
    },
    { text: 'Mild.', usage: { inputTokens: 20, outputTokens: 3, reasoningTokens: 1 } },
  );

  expect(toTextReply(await new Agent({ id: 'a', model, tools: [weather] }).generateText('Weather?'))).toEqual({
    text: 'Let me look.\n\nMild.',
    finishReason: 'stop',
    usage: { promptTokens: 30, completionTokens: 5, totalTokens: 35, cachedInputTokens: 4, reasoningTokens: 1 },
    toolCalls: [{ toolCallId: 'call-1', toolName: 'getWeather', input: { city: 'Paris' } }],
    toolResults: [
      {
        toolCallId: 'call-1',
        toolName: 'getWeather',
        input: { city: 'Paris' },
        output: { city: 'Paris', celsius: 21 },
      },
    ],
  });
});

it.each(['stop', 'length', 'content-filter', 'error', 'other'] as const)(
  'passes on the finish reason %s of the model',
  async (finishReason) => {
    const { finishReason: received } = await new Agent({
      id: 'a',
      model: scriptedModel({ text: 'x', finishReason }),
    }).generateText('Hi');

    expect(received).toBe(finishReason);
  },
);

it('continues after tools even if the provider reports that it is done', async () => {
  const model = scriptedModel({ ...callWeather('Paris'), finishReason: 'stop' }, 'Mild.');
  const stream = await new Agent({ id: 'a', model, tools: [weather] }).streamText('Weather?');

  const reasons = (await collectEvents(stream)).flatMap((event) =>
    event.type === 'finish-step' ? [event.finishReason] : [],
  );
  expect(reasons).toEqual(['tool-calls', 'stop']);
});

it('runs the tools of one step in parallel, and sends results in the order of the calls', async () => {
  const arrived: string[] = [];
  const all = Promise.withResolvers<void>();
  const meet = createTool({
    name: 'meet',
    description: 'Returns when all three are there, the last first',
    input: Type.Object({ who: Type.Number() }),
    execute: async ({ who }) => {
      arrived.push(String(who));
      if (arrived.length === 3) all.resolve();
      await all.promise;
      for (let turn = who; turn < 3; turn += 1) await new Promise(setImmediate);
      return who;
    },
  });
  const model = scriptedModel(
    { toolCalls: [1, 2, 3].map((who) => ({ toolName: 'meet', input: { who }, toolCallId: `c${who}` })) },
    'Done.',
  );
  const stream = await new Agent({ id: 'a', model, tools: [meet] }).streamText('Meet');

  const ended = (await collectEvents(stream)).flatMap((event) =>
    event.type === 'tool-result' ? [event.toolCallId] : [],
  );
  expect(ended).toEqual(['c3', 'c2', 'c1']);
  const received = model.calls[1]?.prompt.at(-1);
  expect(
    received?.role === 'tool' && received.content.map((part) => part.type === 'tool-result' && part.toolCallId),
  ).toEqual(['c1', 'c2', 'c3']);
  expect((await stream.result).toolResults.map(({ output }) => output)).toEqual([1, 2, 3]);
});

it('ends after ten steps by default, after the number that agent or request set, and accepts at most fifty', async () => {
  const run = async (own: number | undefined, asked: number | undefined) => {
    const model = scriptedModel(callWeather('Paris'));
    const agent = new Agent({ id: 'a', model, tools: [weather], ...(own !== undefined && { maxSteps: own }) });
    const { finishReason } = await agent.generateText('Weather?', asked === undefined ? {} : { maxSteps: asked });
    return [model.calls.length, finishReason];
  };

  expect(await run(undefined, undefined)).toEqual([10, 'tool-calls']);
  expect(await run(3, undefined)).toEqual([3, 'tool-calls']);
  expect(await run(3, 50)).toEqual([50, 'tool-calls']);
  await expect(run(undefined, 51)).rejects.toMatchObject({ kind: 'invalid-input' });
  await expect(run(undefined, 0)).rejects.toMatchObject({ kind: 'invalid-input' });
  expect(() => new Agent({ id: 'a', model: scriptedModel(''), maxSteps: 51 })).toThrow('maxSteps');
});

it('passes reasoning and provider data to the next step and to the client', async () => {
  const signed = { anthropic: { signature: 'abc' } };
  const model = scriptedModel(
    {
      parts: [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
        { type: 'reasoning-end', id: 'r', providerMetadata: signed },
        { type: 'text-start', id: 't', providerMetadata: { openai: { itemId: 'm1' } } },
        { type: 'text-delta', id: 't', delta: 'Looking.' },
        { type: 'text-end', id: 't' },
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'getWeather',
          input: '{"city":"Paris"}',
          providerMetadata: { google: { thoughtSignature: 'x' } },
        },
      ],
      finishReason: 'tool-calls',
    },
    'Mild.',
  );

  const events = await collectEvents(await new Agent({ id: 'a', model, tools: [weather] }).streamText('Weather?'));

  expect(model.calls[1]?.prompt[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions: signed },
      { type: 'text', text: 'Looking.', providerOptions: { openai: { itemId: 'm1' } } },
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'getWeather',
        input: { city: 'Paris' },
        providerOptions: { google: { thoughtSignature: 'x' } },
      },
    ],
  });
  expect(events).toContainEqual({ type: 'reasoning-end', id: 'r', providerMetadata: signed });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-call', providerMetadata: { google: { thoughtSignature: 'x' } } }),
  );
});

it('passes on sources and files', async () => {
  const model = scriptedModel({
    parts: [
      { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com/a', title: 'A' },
      { type: 'source', sourceType: 'document', id: 's2', mediaType: 'application/pdf', title: 'B' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
    ],
  });

  const events = await collectEvents(await new Agent({ id: 'a', model }).streamText('Draw'));

  expect(events.slice(2, 5)).toEqual([
    { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com/a', title: 'A' },
    { type: 'source', sourceType: 'document', id: 's2', mediaType: 'application/pdf', title: 'B' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
  ]);
});

it('starts and ends blocks that a provider does not start or end', async () => {
  const model = scriptedModel({ parts: [{ type: 'text-delta', id: 'x', delta: 'Hi' }] });

  const events = await collectEvents(await new Agent({ id: 'a', model }).streamText('Hi'));

  expect(events.slice(2, 5)).toEqual([
    { type: 'text-start', id: 'x' },
    { type: 'text-delta', id: 'x', delta: 'Hi' },
    { type: 'text-end', id: 'x' },
  ]);
});

it('emits the chunks of the provider only when the agent asks for them', async () => {
  const raw = { type: 'raw', rawValue: { object: 'chunk' } } as const;
  const eventsOf = async (rawChunks: boolean) => {
    const model = scriptedModel({ parts: [raw] });
    const events = await collectEvents(await new Agent({ id: 'a', model, rawChunks }).streamText('Hi'));
    return [model.calls[0]?.includeRawChunks, events.some(({ type }) => type === 'raw')];
  };

  expect(await eventsOf(true)).toEqual([true, true]);
  expect(await eventsOf(false)).toEqual([undefined, false]);
});

it('passes the run to functions for instructions and model', async () => {
  const model = scriptedModel('Hi');
  const agent = new Agent({
    id: 'a',
    instructions: ({ context, userId, conversationId }) =>
      `Speak ${String(context['language'])} to ${userId} in ${conversationId}`,
    model: async ({ context }) => (context['language'] === 'French' ? model : scriptedModel('other')),
  });

  await agent.generateText('Hi', {
    userId: 'flat',
    memory: { userId: 'ada', conversationId: 'c1' },
    context: { language: 'French' },
  });

  expect(model.calls[0]?.prompt[0]).toEqual({ role: 'system', content: 'Speak French to ada in c1' });
  expect(agent.modelName).toBe('dynamic');
});

it('ends with an error when the stream of the model ends without a finish part', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel({ text: 'Half', breaksOff: true }) });
  const stream = await agent.streamText('Hi', { services });

  const events = await collectEvents(stream);

  expect(events.at(-1)).toEqual({ type: 'error', error: 'The model of agent "a" failed' });
  await expect(stream.result).rejects.toMatchObject({ code: 'MODEL_FAILED' });
});

it('does not send the error of the provider to the client', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel({ error: new Error('key sk-123 is wrong') }) });

  await expect(agent.generateText('Hi', { services })).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: 'The model of agent "a" failed',
  });
});

it('reports a finish reason that it does not know as other', async () => {
  const unknown = 'paused' as 'other';
  const agent = new Agent({ id: 'a', model: scriptedModel({ text: 'Hi', finishReason: unknown }) });

  expect((await agent.generateText('Hi')).finishReason).toBe('other');
});

it('ignores invalid numbers in the usage of a provider', async () => {
  const model = scriptedModel({ text: 'Hi', usage: { inputTokens: Number.NaN, outputTokens: 3 } });

  expect((await new Agent({ id: 'a', model }).generateText('Hi')).usage).toMatchObject({
    promptTokens: 0,
    completionTokens: 3,
    totalTokens: 3,
  });
});

it('logs a provider report to a tool without the request, which may be a part of the conversation', async () => {
  const lines: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  const rejected = providerError('Overloaded', 400, { input: 'my secret' });
  const failing = createTool({
    name: 'getWeather',
    description: 'Current weather',
    input: Type.Object({ city: Type.String() }),
    execute: () => Promise.reject(rejected),
  });
  const agent = new Agent({ id: 'a', model: scriptedModel(callWeather('Paris'), 'Sorry.'), tools: [failing] });
  await agent.generateText('Weather?', { services: { logger } });
  expect(lines).toEqual([
    expect.objectContaining({ tool: 'getWeather', reason: 'the provider answered 400: Overloaded' }),
  ]);
  expect(lines[0]).not.toHaveProperty('err');
});
