import { getEventListeners } from 'node:events';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { demoModel } from './demo-model.ts';
import { everydayTools, text, tool } from './tools-for-tests.ts';

const model = demoModel({ delayMs: 0, today: () => new Date('2026-11-21T10:00:00Z') });
const tools = [...everydayTools];

function user(...texts: string[]): LanguageModelV4Message {
  return { role: 'user', content: texts.map((each) => ({ type: 'text', text: each })) };
}

function assistant(said: string): LanguageModelV4Message {
  return { role: 'assistant', content: [{ type: 'text', text: said }] };
}

/** A call of a tool and what came of it. */
function outcome(
  toolName: string,
  output: LanguageModelV4ToolResultOutput,
  input: unknown = {},
): LanguageModelV4Message[] {
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `of-${toolName}`, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `of-${toolName}`, toolName, output }] },
  ];
}

async function read(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  return collect(stream);
}

async function collect(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function textOf(parts: readonly LanguageModelV4StreamPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
}

async function answerTo(...prompt: LanguageModelV4Message[]): Promise<string> {
  return textOf(await read({ prompt, tools }));
}

describe('an answer', () => {
  it('comes word by word and says that it is a demo', async () => {
    const parts = await read({ prompt: [user('hello')], tools });
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []));
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.every((delta) => /^\s*\S+$/u.test(delta))).toBe(true);
    expect(deltas.join('')).toMatch(
      /^Hello! [\s\S]*\(This is the demo model\. Set OPENAI_API_KEY for a real one\.\)$/u,
    );
    expect(parts.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-end',
      'finish',
    ]);
  });

  it('is the same whether it is streamed or not', async () => {
    for (const message of ['hello', 'weather in Paris and Rome']) {
      const options = { prompt: [user(message)], tools };
      const { content, finishReason, usage } = await model.doGenerate(options);
      const parts = await read(options);
      const calls = (list: readonly { readonly type: string }[]): unknown[] =>
        list.filter(({ type }) => type === 'tool-call').map((call) => ({ ...call, toolCallId: '' }));
      expect(content.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(textOf(parts));
      expect(calls(content)).toEqual(calls(parts));
      expect(parts.at(-1)).toEqual({ type: 'finish', finishReason, usage });
    }
  });

  it('counts tokens by words, those of the whole prompt included', async () => {
    const usageOf = async (...prompt: LanguageModelV4Message[]): Promise<number> =>
      (await model.doGenerate({ prompt })).usage.inputTokens.total ?? 0;
    const short = await usageOf(user('hello there'));
    expect(short).toBe(3);
    expect(await usageOf({ role: 'system', content: 'Be brief.' }, user('hello there'))).toBeGreaterThan(short);
    const { usage } = await model.doGenerate({ prompt: [user('hello')] });
    expect(usage.outputTokens.total).toBe(usage.outputTokens.text);
    expect(usage.outputTokens.total).toBeGreaterThan(10);
  });

  it('ends where the limits of the call say', async () => {
    const cut = await model.doGenerate({ prompt: [user('hello')], tools, maxOutputTokens: 4 });
    expect(cut.finishReason.unified).toBe('length');
    expect(cut.usage.outputTokens.total).toBeLessThanOrEqual(4);
    const stopped = await model.doGenerate({ prompt: [user('hello')], tools, stopSequences: ['can'] });
    expect(stopped).toMatchObject({
      content: [{ type: 'text', text: 'Hello! I ' }],
      finishReason: { unified: 'stop' },
    });
  });

  it('tells what it can do, and that it cannot look into files', async () => {
    expect(await answerTo(user('What can you do?'))).toContain('getWeather');
    const image: LanguageModelV4Message = {
      role: 'user',
      content: [
        { type: 'text', text: 'here is a photo' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
      ],
    };
    expect(await answerTo(image)).toContain('image/png');
  });
});

describe('a tool call', () => {
  it('streams its input in pieces and ends with tool-calls', async () => {
    const parts = await read({ prompt: [user('weather in Paris and Rome')], tools });
    const calls = parts.filter((part) => part.type === 'tool-call');
    expect(calls.map(({ toolName, input }) => [toolName, JSON.parse(input)])).toEqual([
      ['getWeather', { city: 'Paris' }],
      ['getWeather', { city: 'Rome' }],
    ]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    for (const { toolCallId, input } of calls) {
      const pieces = parts.flatMap((part) =>
        part.type === 'tool-input-delta' && part.id === toolCallId ? [part.delta] : [],
      );
      expect(pieces.join('')).toBe(input);
    }
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } });
  });

  it.each<readonly [what: string, output: LanguageModelV4ToolResultOutput, said: string]>([
    [
      'an object',
      { type: 'json', value: { city: 'Paris', temperatureC: 18, isRaining: false, wind: { speed: 3 } } },
      'getWeather says: city Paris, temperature c 18, is raining no, wind (speed 3).',
    ],
    ['a list', { type: 'json', value: ['sun', 'rain'] }, 'getWeather says: sun; rain.'],
    ['nothing', { type: 'json', value: null }, 'getWeather is done.'],
    ['an object that is one text', { type: 'json', value: { text: 'Sunny all day.' } }, 'Sunny all day.'],
    ['a text', { type: 'text', value: 'Sunny all day.' }, 'Sunny all day.'],
    [
      'a text of a delegate',
      { type: 'text', value: 'Sunny.\n\n(This is the demo model. Set OPENAI_API_KEY for a real one.)' },
      'Sunny.',
    ],
    [
      'parts',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'A map:' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
        ],
      },
      'A map: [image/png]',
    ],
    ['an error', { type: 'error-text', value: 'no such city' }, 'getWeather did not work: no such city'],
    [
      'an error object',
      { type: 'error-json', value: { code: 7, message: 'no such city' } },
      'getWeather did not work: no such city',
    ],
    ['a refusal', { type: 'execution-denied' }, 'All right, I leave getWeather alone.'],
    [
      'a refusal with a reason',
      { type: 'execution-denied', reason: 'too dear' },
      'All right, I leave getWeather alone: too dear.',
    ],
  ])('is followed by a sentence about %s', async (_, output, said) => {
    const answer = await answerTo(user('weather in Paris'), ...outcome('getWeather', output));
    expect(answer).toBe(`${said}\n\n(This is the demo model. Set OPENAI_API_KEY for a real one.)`);
  });

  it('is never repeated for one message, whatever came of it', async () => {
    for (const toolChoice of [
      { type: 'auto' },
      { type: 'required' },
      { type: 'tool', toolName: 'getWeather' },
    ] as const) {
      const prompt = [
        user('weather in Paris'),
        ...outcome('getWeather', { type: 'error-text', value: 'down' }),
        ...outcome('getWeather', { type: 'error-text', value: 'down' }),
      ];
      expect((await model.doGenerate({ prompt, tools, toolChoice })).finishReason.unified).toBe('stop');
    }
    const unanswered: LanguageModelV4Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: '1', toolName: 'getWeather', input: {} }],
    };
    expect(await answerTo(user('weather in Paris'), unanswered)).toContain('nothing came back');
  });

  it('is made anew for the next message', async () => {
    const before = [
      user('weather in Paris'),
      ...outcome('getWeather', { type: 'json', value: {} }, { city: 'Paris' }),
      assistant('Fine.'),
    ];
    const { content } = await model.doGenerate({ prompt: [...before, user('And in Rome?')], tools });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'getWeather', input: '{"city":"Rome"}' }]);
  });

  it('is made when the question for what was missing is answered', async () => {
    const question = await answerTo(user("What's the weather like?"));
    expect(question).toContain('I miss something: city.');
    const { content } = await model.doGenerate({
      prompt: [user("What's the weather like?"), assistant(question), user('Paris')],
      tools,
    });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'getWeather', input: '{"city":"Paris"}' }]);
  });

  it('gives a sub-agent the words of the user', async () => {
    const delegate = tool(
      'ask_assistant',
      'Asks the agent "Assistant" to do a task and answer. Tells the time anywhere',
      { task: { ...text, description: 'The whole task' } },
    );
    const { content } = await model.doGenerate({ prompt: [user('What time is it in Lisbon?')], tools: [delegate] });
    expect(content).toMatchObject([{ toolName: 'ask_assistant', input: '{"task":"What time is it in Lisbon?"}' }]);
  });

  it('leaves tools of providers alone', async () => {
    const search = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} } as const;
    const { finishReason } = await model.doGenerate({
      prompt: [user('search the web')],
      tools: [search],
      toolChoice: { type: 'required' },
    });
    expect(finishReason.unified).toBe('stop');
  });
});

describe('memory', () => {
  it.each([
    ['my name is Ada', 'what is my name?', 'Your name is Ada.'],
    ["Hi, I'm Grace", 'Who am I?', 'Your name is Grace.'],
    [
      'My favourite colour is dark blue, by the way',
      "what's my favourite colour?",
      'Your favourite colour is dark blue.',
    ],
    ['I live in Oslo and work there', 'where do I live?', 'Your home is Oslo.'],
    ['buy oars', 'what did I say?', 'You said: "buy oars".'],
  ])('knows after "%s" an answer to "%s"', async (told, asked, answer) => {
    expect(await answerTo(user(told), assistant('All right.'), user(asked))).toContain(answer);
  });

  it('says so when it was not told, and takes the last of several', async () => {
    expect(await answerTo(user('what is my name?'))).toContain('You have not told me your name.');
    expect(await answerTo(user('my name is Ada'), user('no, my name is Eve'), user('what is my name?'))).toContain(
      'Your name is Eve.',
    );
  });

  it('finds what the instructions note of the user', async () => {
    const notes: LanguageModelV4Message = {
      role: 'system',
      content: 'You are kind.\n# User\n- **Name**: Ada\n- Language: French',
    };
    expect(await answerTo(notes, user('what is my name?'))).toContain('Your name is Ada.');
  });
});

describe('an object', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 }, mood: { enum: ['good', 'bad'] } },
    required: ['city', 'days', 'mood'],
  } as const;
  const json = { type: 'json', schema } as const;

  it('is made from the words of the message and nothing else is said', async () => {
    const parts = await read({
      prompt: [user('three days in Oslo were bad')],
      responseFormat: {
        ...json,
        schema: {
          ...schema,
          required: [...schema.required],
          properties: { ...schema.properties, mood: { enum: ['good', 'bad'] } },
        },
      },
    });
    expect(JSON.parse(textOf(parts))).toEqual({ city: 'Oslo', days: 3, mood: 'bad' });
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'stop' } });
  });

  it('takes in what tools found', async () => {
    const found = outcome('getWeather', { type: 'json', value: { city: 'Bergen', days: 4 } });
    const { content } = await model.doGenerate({
      prompt: [user('weather please'), ...found],
      tools,
      responseFormat: {
        type: 'json',
        schema: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city', 'days'],
        },
      },
    });
    expect(content).toEqual([{ type: 'text', text: '{"city":"Bergen","days":4}' }]);
  });

  it('is some JSON when there is no schema', async () => {
    const { content } = await model.doGenerate({ prompt: [user('hi')], responseFormat: { type: 'json' } });
    expect(content).toEqual([{ type: 'text', text: '{"text":"hi","demo":true}' }]);
  });
});

describe('an abort', () => {
  it('ends the stream at once with the reason of the signal, in the middle of a pause', async () => {
    const controller = new AbortController();
    const { stream } = await demoModel({ delayMs: 60_000 }).doStream({
      prompt: [user('hello')],
      abortSignal: controller.signal,
    });
    const reading = collect(stream);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('passes on a reason that is an error, and wraps one that is not', async () => {
    const reason = new RangeError('enough');
    await expect(model.doGenerate({ prompt: [user('hi')], abortSignal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    await expect(
      model.doStream({ prompt: [user('hi')], abortSignal: AbortSignal.abort('left') }),
    ).rejects.toMatchObject({ name: 'AbortError', cause: 'left' });
  });

  it('leaves no listener behind, whether the stream ended, was left or was aborted', async () => {
    const { signal } = new AbortController();
    await read({ prompt: [user('hello')], abortSignal: signal });
    const { stream } = await model.doStream({ prompt: [user('hello')], abortSignal: signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await stream.cancel();
    expect(getEventListeners(signal, 'abort')).toEqual([]);

    const controller = new AbortController();
    await demoModel({ delayMs: 60_000 }).doStream({ prompt: [user('hello')], abortSignal: controller.signal });
    controller.abort();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
