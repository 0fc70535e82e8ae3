import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from './openai-wire.ts';
import { ask, deltasOf, partsOf, readParts } from './reading.ts';

const getWeather: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'getWeather',
  description: 'Current weather in a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

const personSchema = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
  additionalProperties: false,
};

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const apis = [
  { api: 'responses', path: '/v1/responses' },
  { api: 'chat', path: '/v1/chat/completions' },
] as const;

describe.each(apis)('the $api API', ({ api, path }) => {
  function model(id = 'gpt-4.1') {
    const openai = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' });
    return api === 'chat' ? openai.chat(id) : openai(id);
  }

  async function streamParts(...call: Parameters<typeof ask>) {
    return readParts((await model().doStream(ask(...call))).stream);
  }

  it('streams a text in chunks of the size that the script sets', async () => {
    wire.reply({ text: 'Hello, world', chunkSize: 5, usage: { inputTokens: 7, outputTokens: 3 } });

    const parts = await streamParts('Hi');

    expect(deltasOf(parts, 'text-delta')).toEqual(['Hello', ', wor', 'ld']);
    expect(partsOf(parts, 'error')).toEqual([]);
    expect(partsOf(parts, 'finish')).toMatchObject([
      { finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } } },
    ]);
  });

  it('streams the chunks of a list as they are, with a pause between them', async () => {
    wire.reply({ text: ['Guten ', 'Tag 👋'], delayMs: 1 });

    expect(deltasOf(await streamParts('Hi'), 'text-delta')).toEqual(['Guten ', 'Tag 👋']);
  });

  it('returns the complete text if the request does not stream', async () => {
    wire.reply({ text: 'Hello, world', usage: { outputTokens: 3 } });

    const result = await model().doGenerate(ask('Hi'));

    expect(result.content).toMatchObject([{ type: 'text', text: 'Hello, world' }]);
    expect(result.finishReason.unified).toBe('stop');
    expect(result.usage).toMatchObject({ inputTokens: { total: 10 }, outputTokens: { total: 3 } });
  });

  it('records path, headers, body and settings of a request', async () => {
    wire.reply({ text: 'Hello' });

    await model().doGenerate(ask('Hi', { temperature: 0.2, headers: { 'x-trace': 'abc' } }));

    expect(wire.requests).toMatchObject([
      {
        number: 1,
        path,
        headers: { authorization: 'Bearer test-key', 'x-trace': 'abc' },
        body: { model: 'gpt-4.1' },
        settings: { temperature: 0.2 },
      },
    ]);
    await wire.requests[0]?.ended;
    expect(wire.requests[0]?.aborted).toBe(false);
  });

  it('streams the arguments of several tool calls in pieces', async () => {
    wire.reply({
      text: 'Let me check.',
      toolCalls: [
        { name: 'getWeather', input: { city: 'Oslo' } },
        { name: 'getWeather', input: { city: 'Rome' }, id: 'call_rome' },
      ],
    });

    const parts = await streamParts('Weather?', { tools: [getWeather] });

    expect(deltasOf(parts, 'text-delta').join('')).toBe('Let me check.');
    expect(partsOf(parts, 'tool-input-delta').length).toBeGreaterThan(2);
    expect(partsOf(parts, 'tool-call')).toMatchObject([
      { toolCallId: 'call_1_0', toolName: 'getWeather', input: '{"city":"Oslo"}' },
      { toolCallId: 'call_rome', toolName: 'getWeather', input: '{"city":"Rome"}' },
    ]);
    expect(partsOf(parts, 'finish')).toMatchObject([{ finishReason: { unified: 'tool-calls' } }]);
  });

  it('returns tool calls if the request does not stream, with invalid arguments unchanged', async () => {
    wire.reply({ toolCalls: [{ name: 'getWeather', arguments: '{"city":' }] });

    const result = await model().doGenerate(ask('Weather?', { tools: [getWeather] }));

    expect(result.content).toMatchObject([{ type: 'tool-call', toolName: 'getWeather', input: '{"city":' }]);
    expect(result.finishReason.unified).toBe('tool-calls');
  });

  it('accepts a tool result, and lets the script use it', async () => {
    wire.reply({ toolCalls: [{ name: 'getWeather', input: { city: 'Oslo' } }] }, ({ body }) => ({
      text: JSON.stringify(body).includes('snowing') ? 'Take a coat.' : 'No idea.',
    }));
    const question = ask('Coat?', { tools: [getWeather] });
    await model().doGenerate(question);

    const second = await model().doGenerate({
      ...question,
      prompt: [
        ...question.prompt,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'call_1_0', toolName: 'getWeather', input: { city: 'Oslo' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_1_0',
              toolName: 'getWeather',
              output: { type: 'text', value: 'snowing' },
            },
          ],
        },
      ],
    });

    expect(second.content).toMatchObject([{ type: 'text', text: 'Take a coat.' }]);
    expect(wire.scriptsLeft).toBe(0);
  });

  it.each(['doStream', 'doGenerate'] as const)(
    'gives structured output to %s and records the schema that was asked for',
    async (method) => {
      wire.reply({ object: { name: 'Ada' } });
      const options = ask('Who?', { responseFormat: { type: 'json', schema: personSchema, name: 'person' } });

      const text =
        method === 'doStream'
          ? deltasOf(await readParts((await model().doStream(options)).stream), 'text-delta').join('')
          : (await model().doGenerate(options)).content.map((part) => (part.type === 'text' ? part.text : '')).join('');

      expect(JSON.parse(text)).toEqual({ name: 'Ada' });
      expect(wire.requests[0]?.format).toEqual({ name: 'person', schema: personSchema, strict: true });
    },
  );

  it('refuses structured output that was not requested', async () => {
    wire.reply({ object: { name: 'Ada' } });

    await expect(model().doGenerate(ask('Who?'))).rejects.toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: 'The script has an object, but the request did not ask for a JSON schema.',
    });
  });

  it.each([
    { finish: 'length', unified: 'length' },
    { finish: 'content-filter', unified: 'content-filter' },
  ] as const)('reports the finish reason of an answer that ended by $finish', async ({ finish, unified }) => {
    wire.reply({ text: 'Once upon', finish }, { text: 'Once upon', finish });

    const parts = await streamParts('Tell me');
    const result = await model().doGenerate(ask('Tell me'));

    expect(partsOf(parts, 'finish')).toMatchObject([{ finishReason: { unified } }]);
    expect(result.finishReason.unified).toBe(unified);
  });

  it('sends a refusal as text, with the finish reason content-filter', async () => {
    wire.reply({ refusal: 'I cannot help with that.' }, { refusal: 'I cannot help with that.' });

    const parts = await streamParts('Do evil');
    const result = await model().doGenerate(ask('Do evil'));

    expect(deltasOf(parts, 'text-delta').join('')).toBe('I cannot help with that.');
    expect(partsOf(parts, 'finish')).toMatchObject([{ finishReason: { unified: 'content-filter' } }]);
    expect(result).toMatchObject({
      content: [{ text: 'I cannot help with that.' }],
      finishReason: { unified: 'content-filter' },
    });
  });

  it('can give every request the same answer', async () => {
    wire.replyAlways({ text: 'Same' });

    const answers = await Promise.all([1, 2, 3].map(() => model().doGenerate(ask('Hi'))));

    expect(answers.map(({ content }) => content)).toMatchObject([
      [{ text: 'Same' }],
      [{ text: 'Same' }],
      [{ text: 'Same' }],
    ]);
  });

  it('replies with 400 and the error of a function that chooses a script', async () => {
    wire.reply(() => {
      throw new RangeError('no such city');
    });

    await expect(model().doGenerate(ask('Hi'))).rejects.toMatchObject({
      statusCode: 400,
      message: 'The function that chooses the script failed: RangeError: no such city',
    });
  });

  it('replies with 400 when no script is left', async () => {
    await expect(model().doGenerate(ask('Hi'))).rejects.toMatchObject({
      statusCode: 400,
      message: `No script is left for request 1 (${path}): call reply() first.`,
    });
  });
});

const reasoningModel = () => createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' })('gpt-5-mini');

describe('the responses API alone', () => {
  const unstored = { openai: { store: false } };

  it('streams the parts of a reasoning summary before the text', async () => {
    wire.reply({
      reasoning: ['First I check.', 'Then I add.'],
      text: '4',
      usage: { outputTokens: 9, reasoningTokens: 8 },
    });

    const parts = await readParts(
      (await reasoningModel().doStream(ask('2 + 2?', { providerOptions: unstored }))).stream,
    );

    expect(deltasOf(parts, 'reasoning-delta').join('')).toBe('First I check.Then I add.');
    expect(partsOf(parts, 'reasoning-start').map(({ id }) => id)).toEqual(['rs_1:0', 'rs_1:1']);
    expect(partsOf(parts, 'reasoning-end').at(-1)?.providerMetadata).toMatchObject({
      openai: { reasoningEncryptedContent: 'encrypted reasoning 1' },
    });
    expect(deltasOf(parts, 'text-delta')).toEqual(['4']);
    expect(partsOf(parts, 'finish')).toMatchObject([{ usage: { outputTokens: { total: 9, reasoning: 8 } } }]);
  });

  it('returns the reasoning summary if the request does not stream', async () => {
    wire.reply({ reasoning: ['I check.'], text: '4' });

    const { content } = await reasoningModel().doGenerate(ask('2 + 2?'));

    expect(content).toMatchObject([
      { type: 'reasoning', text: 'I check.' },
      { type: 'text', text: '4' },
    ]);
  });
});

const complete = (body: object): Promise<Response> =>
  fetch(`${wire.baseURL}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });

describe('the chat API alone', () => {
  it.each([
    { streamOptions: {}, holdsUsage: false },
    { streamOptions: { stream_options: { include_usage: true } }, holdsUsage: true },
  ])('ends with [DONE], and sends usage only when asked: $holdsUsage', async ({ streamOptions, holdsUsage }) => {
    wire.reply({ text: 'Hello' });

    const events = await (await complete({ model: 'gpt-4.1', messages: [], stream: true, ...streamOptions })).text();

    expect(events.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(events.includes('"prompt_tokens":10')).toBe(holdsUsage);
  });
});

describe('a request outside of the API', () => {
  it('is answered with status 404 and an error body', async () => {
    const response = await fetch(`${wire.baseURL}/files`, { method: 'POST', body: '{}' });

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { message: 'Invalid URL (/v1/files)' } });
  });

  it('is answered with status 400 when the body is no JSON object', async () => {
    const response = await fetch(`${wire.baseURL}/responses`, { method: 'POST', body: '[1' });

    expect(response.status).toBe(400);
  });
});
