import type { SpanRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import type { ModelMessage } from '../../model/messages/message.ts';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import { fixedClock, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { Agent } from '../agent.ts';
import { tokenWindow } from './token-window.ts';

const services = { logger: silentLogger };
/** 100 tokens each, and 4 for the message. */
const long = (word: string): string => word.padEnd(400, '.');

const exchange = (name: string, found = long(`found ${name}`)): ModelMessage[] => [
  { role: 'user', content: long(`ask ${name}`) },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: name, toolName: 'look', input: {} }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: name,
        toolName: 'look',
        output: { type: 'text', value: found },
      },
    ],
  },
  { role: 'assistant', content: long(`answer ${name}`) },
];

const sentWith = async (contextTokens: number, messages: readonly ModelMessage[]) => {
  const model = scriptedModel('Fine.');
  const agent = new Agent({ id: 'a', model, instructions: 'Help.', contextTokens });
  await agent.generateText(messages, { services });
  const prompt = model.calls[0]?.prompt ?? [];
  return { roles: prompt.map(({ role }) => role), text: JSON.stringify(prompt) };
};

it.each([0, -1, 1.5, Number.NaN])('refuses a window of %s tokens', (maxTokens) => {
  expect(() => tokenWindow({ maxTokens })).toThrow('maxTokens of tokenWindow must be an integer from 1 on');
});

it('accepts a window of one token', () => {
  expect(tokenWindow({ maxTokens: 1 }).name).toBe('token window');
});

it('sends the whole prompt where it fits', async () => {
  const { roles } = await sentWith(2000, [...exchange('one'), { role: 'user', content: 'And?' }]);

  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
});

it('leaves out the results of tools first, oldest first', async () => {
  const found = (name: string): ModelMessage[] => exchange(name, `found ${name}`.padEnd(4_000, '.'));
  const messages: ModelMessage[] = [...found('one'), ...found('two'), { role: 'user', content: 'And?' }];

  const { roles, text } = await sentWith(2_000, messages);

  expect(roles).toHaveLength(10);
  expect(text).not.toContain('found one');
  expect(text).toContain('This result was left out');
  expect(text).toContain('found two');
});

it('then leaves out whole exchanges, and keeps the system prompt and the newest one', async () => {
  const messages: ModelMessage[] = [...exchange('one'), ...exchange('two'), { role: 'user', content: 'And?' }];

  const one = await sentWith(300, messages);
  const none = await sentWith(10, messages);

  expect(one.roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  expect(one.text).toContain('ask two');
  expect(one.text).not.toContain('ask one');
  expect(none.roles).toEqual(['system', 'user']);
});

it('keeps the results that the model has not seen, within a run', async () => {
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } as const,
    execute: (input) => long(`found ${(input as { at: string }).at}`),
  });
  const call = (at: string) => ({ toolCalls: [{ toolName: 'look', input: { at } }], usage: { inputTokens: 0 } });
  const model = scriptedModel(call('one'), call('two'), 'Done.');

  await new Agent({ id: 'a', model, tools: [look], contextTokens: 150 }).generateText('Go', { services });

  const last = JSON.stringify(model.calls[2]?.prompt);
  expect(last).not.toContain('found one');
  expect(last).toContain('found two');
});

it('corrects its estimate by the usage that the provider reports', async () => {
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input: { type: 'object' } as const,
    execute: () => 'found',
  });
  const turns = (inputTokens: number) =>
    scriptedModel({ toolCalls: [{ toolName: 'look', input: {} }], usage: { inputTokens } }, 'Done.');
  const messages: ModelMessage[] = [...exchange('one'), { role: 'user', content: 'And?' }];
  const sizes = async (inputTokens: number) => {
    const model = turns(inputTokens);
    await new Agent({ id: 'a', model, tools: [look], contextTokens: 600 }).generateText(messages, { services });
    return model.calls.map(({ prompt }) => prompt.length);
  };

  expect(await sizes(330)).toEqual([5, 7]);
  expect(await sizes(1300)).toEqual([5, 3]);
});

it('keeps a long conversation within the window', async () => {
  const { agent, model, options } = agentWithMemory(['Fine.'], { contextTokens: 500 }, { contextLimit: 200 });

  for (let turn = 0; turn < 20; turn += 1) await agent.generateText(long(`Question ${turn}`), options);

  const lengths = model.calls.map(({ prompt }) => prompt.length);
  expect(Math.max(...lengths)).toBe(7);
  expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('Question 19');
});

it('leaves out a third of the window at once, so that the prompts of several turns begin alike', async () => {
  const { agent, model, options } = agentWithMemory(['Fine.'], { contextTokens: 1500 }, { contextLimit: 200 });

  for (let turn = 0; turn < 40; turn += 1) await agent.generateText(long(`Question ${turn}`), options);

  const firsts = model.calls.map(({ prompt }) => /Question \d+/.exec(JSON.stringify(prompt))?.[0]);
  const isCut = (first: string | undefined, turn: number): boolean => turn > 0 && first !== firsts[turn - 1];
  // 112 tokens are added in each turn.
  expect(firsts.filter(isCut)).toEqual([
    'Question 5',
    'Question 10',
    'Question 14',
    'Question 19',
    'Question 23',
    'Question 28',
  ]);
});

it('shows the omissions in the trace', async () => {
  const spans: SpanRecord[] = [];
  const sink = { spanStarted: () => {}, spanEnded: (span: SpanRecord) => void spans.push(span), logged: () => {} };
  const recorder = createRecorder({ sink, clock: fixedClock() });
  const messages: ModelMessage[] = [...exchange('one'), ...exchange('two'), { role: 'user', content: 'And?' }];

  await new Agent({ id: 'a', model: scriptedModel('Fine.'), contextTokens: 350 }).generateText(messages, {
    services: { ...services, recorder },
  });

  expect(spans.find(({ name }) => name === 'processor token window')?.attributes).toMatchObject({
    'halyard.processor.hook': 'step',
    'halyard.processor.leftOutMessages': 4,
    'halyard.processor.leftOutResults': 2,
  });
});

it.each([0, -1, 1.5, NaN])('refuses a window of %s tokens', (contextTokens) => {
  expect(() => new Agent({ id: 'a', model: scriptedModel('Hi'), contextTokens })).toThrow(
    'contextTokens of agent "a" must be an integer from 1 on',
  );
});
