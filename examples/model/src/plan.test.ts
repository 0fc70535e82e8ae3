import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { demoModel } from './demo-model.ts';
import { assistant, outcome, user } from './prompts-for-tests.ts';
import { everydayTools, text, tool } from './tools-for-tests.ts';

const model = demoModel({ delayMs: 0, today: () => new Date('2026-11-21T10:00:00Z') });
const tools = [...everydayTools];

async function answerTo(...prompt: LanguageModelV4Message[]): Promise<string> {
  const { content } = await model.doGenerate({ prompt, tools });
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

it('names a conversation after the first words of the question', async () => {
  const title = await answerTo(
    { role: 'system', content: 'Name the topic of this conversation in at most six words.' },
    user('User: weather in Paris, and in Rome, and in Oslo?\n\nAssistant: Sunny.'),
  );
  expect(title).toBe('Weather in Paris, and in Rome …');
});

describe('a tool call', () => {
  it.each<readonly [what: string, output: LanguageModelV4ToolResultOutput, sentence: string]>([
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
  ])('is followed by a sentence about %s', async (_, output, sentence) => {
    const answer = await answerTo(user('weather in Paris'), ...outcome('getWeather', output));
    expect(answer).toBe(sentence);
  });

  it('is never repeated for one message, whatever its result', async () => {
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

  it('is made again for the next message', async () => {
    const before = [
      user('weather in Paris'),
      ...outcome('getWeather', { type: 'json', value: {} }, { city: 'Paris' }),
      assistant('Fine.'),
    ];
    const { content } = await model.doGenerate({ prompt: [...before, user('And in Rome?')], tools });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'getWeather', input: '{"city":"Rome"}' }]);
  });

  it('is made when the user provides the missing input', async () => {
    const question = await answerTo(user("What's the weather like?"));
    expect(question).toContain('I miss something: city.');
    const { content } = await model.doGenerate({
      prompt: [user("What's the weather like?"), assistant(question), user('Paris')],
      tools,
    });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'getWeather', input: '{"city":"Paris"}' }]);
  });

  it('passes the message of the user to a sub-agent', async () => {
    const delegate = tool(
      'ask_assistant',
      'Asks the agent "Assistant" to do a task and answer. Tells the time anywhere',
      { task: { ...text, description: 'The whole task' } },
    );
    const { content } = await model.doGenerate({ prompt: [user('What time is it in Lisbon?')], tools: [delegate] });
    expect(content).toMatchObject([{ toolName: 'ask_assistant', input: '{"task":"What time is it in Lisbon?"}' }]);
  });

  it('ignores provider-defined tools', async () => {
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
  ])('knows after "%s" an answer to "%s"', async (fact, question, answer) => {
    expect(await answerTo(user(fact), assistant('All right.'), user(question))).toContain(answer);
  });

  it('reports a missing fact, and uses the latest of several', async () => {
    expect(await answerTo(user('what is my name?'))).toContain('You have not told me your name.');
    expect(await answerTo(user('my name is Ada'), user('no, my name is Eve'), user('what is my name?'))).toContain(
      'Your name is Eve.',
    );
  });

  it('reads facts about the user from the instructions', async () => {
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

  it('is generated from the words of the message without further text', async () => {
    const { content, finishReason } = await model.doGenerate({
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
    const [part] = content;
    expect(part?.type === 'text' && JSON.parse(part.text)).toEqual({ city: 'Oslo', days: 3, mood: 'bad' });
    expect(finishReason.unified).toBe('stop');
  });

  it('contains the results of tools', async () => {
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

  it('is any JSON without a schema', async () => {
    const { content } = await model.doGenerate({ prompt: [user('hi')], responseFormat: { type: 'json' } });
    expect(content).toEqual([{ type: 'text', text: '{"text":"hi","demo":true}' }]);
  });
});
