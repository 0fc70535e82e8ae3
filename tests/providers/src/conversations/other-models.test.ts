import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent, type AgentOptions, createMemory, createTool } from '@halyard/core';
import { collectEvents, type ScriptedReply, scriptedModel, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { providers } from '../parity/providers.ts';
import { openAnthropicWire, type RecordedRequest } from '../wire/index.ts';
import { anthropicRefusal, bedrockRefusal, type Refusal, responsesRefusal } from './refusals.ts';

/**
 * Conversations that one model began, with calls, ids, results and texts of all forms, and that the
 * model of a provider continues.
 */
const look = (result: unknown = 'Rain') =>
  createTool({
    name: 'look',
    description: 'Looks',
    input: Type.Object({ city: Type.String() }),
    execute: () => result,
  });
const input = { city: 'Oslo' };
const png = 'iVBORw0KGgo=';
const draw = createTool({
  name: 'draw',
  description: 'Draws',
  input: Type.Object({ city: Type.String() }),
  execute: () => 'drawn',
  toModelOutput: () => ({
    type: 'content',
    value: [
      { type: 'text', text: ' ' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
    ],
  }),
});
const textParts = (id: string, delta: string) =>
  [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ] as const;

const begun: Readonly<
  Record<string, { readonly turns: readonly [ScriptedReply, ...ScriptedReply[]]; result?: unknown }>
> = {
  'a tool that does not exist': { turns: [{ toolCalls: [{ toolName: 'browser.search it', input }] }, 'Done.'] },
  'the same id in two steps': {
    turns: [
      { toolCalls: [{ toolName: 'look', input, toolCallId: 'call_0' }] },
      { toolCalls: [{ toolName: 'look', input, toolCallId: 'call_0' }] },
      'Done.',
    ],
  },
  'the same id twice in a step': {
    turns: [
      {
        toolCalls: [
          { toolName: 'look', input, toolCallId: 'call_0' },
          { toolName: 'look', input, toolCallId: 'call_0' },
        ],
      },
      'Done.',
    ],
  },
  'ids of another form': {
    turns: [{ toolCalls: [{ toolName: 'look', input, toolCallId: 'functions.look:0' }] }, 'Done.'],
  },
  'long ids': { turns: [{ toolCalls: [{ toolName: 'look', input, toolCallId: 'x'.repeat(120) }] }, 'Done.'] },
  'an empty result': { turns: [{ toolCalls: [{ toolName: 'look', input }] }, 'Done.'], result: '' },
  'a result that was cut in an emoji': {
    turns: [{ toolCalls: [{ toolName: 'look', input }] }, 'Done.'],
    result: 'Cut \ud83d',
  },
  'an answer that was cut in an emoji': { turns: ['Cut \ud83d'] },
  'arguments that are a list': { turns: [{ toolCalls: [{ toolName: 'look', input: [1, 2] }] }, 'Done.'] },
  'a blank text between others': {
    turns: [
      { reasoning: 'Hm', parts: [...textParts('1', 'Rain.'), ...textParts('2', '\n\n'), ...textParts('3', 'Cold.')] },
    ],
  },
  'a result with a blank text': {
    turns: [{ toolCalls: [{ toolName: 'draw', input }] }, 'Done.'],
  },
  'an answer that is a file': {
    turns: [{ parts: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } }] }],
  },
  'arguments that are no JSON': { turns: [{ toolCalls: [{ toolName: 'look', input: '{"city":"Os' }] }, 'Done.'] },
};

const run = { userId: 'ada', conversationId: 'c1', services: { logger: silentLogger } };

async function ask(agent: Agent, question: string): Promise<string | undefined> {
  const events = await collectEvents(await agent.streamText(question, run));
  return events.find((event) => event.type === 'error')?.error;
}

const agentOf = (model: AgentOptions['model'], memory: AgentOptions['memory'], result?: unknown): Agent =>
  new Agent({ id: 'a', model, tools: [look(result), draw], memory, generation: unset });

/** The forms that providers refuse, whatever their API: names, ids and texts. */
function formFaults({ body }: RecordedRequest): readonly string[] {
  const faults: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) faults.push(`${key} is no valid JSON`);
      if (key === 'name' && !/^[a-zA-Z0-9_-]{1,64}$/.test(value)) faults.push(`name ${value}`);
      if (/^(id|call_id|tool_use_id|toolUseId)$/.test(key) && !/^[a-zA-Z0-9_-]{1,64}$/.test(value))
        faults.push(`${key} ${value}`);
      if (/^(result|output)$/.test(key) && value.trim() === '') faults.push(`${key} is empty`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value)) {
        const isResult = name === 'content' && 'tool_use_id' in value;
        visit(field, isResult ? 'result' : Array.isArray(value) ? key : name);
      }
    }
  };
  visit(body['messages'] ?? body['input'], '');
  return faults;
}

const continuedBy: readonly (readonly [keyof typeof providers, Refusal, string])[] = [
  ['Anthropic', anthropicRefusal, 'tool_result'],
  ['OpenAI Responses', responsesRefusal(new Set()), 'function_call_output'],
  ['Bedrock', bedrockRefusal, 'toolResult'],
];

describe.each(Object.entries(begun))('a conversation with %s', (_what, { result, turns }) => {
  it.each(continuedBy)('is continued by %s', async (name, refusal, resultType) => {
    const { model, open } = providers[name];
    await using wire = await open();
    wire.replyAlways({ text: 'Yes.' });
    const memory = createMemory({ titles: false });
    await ask(agentOf(scriptedModel(...turns), memory, result), 'Hi');

    expect(await ask(agentOf(model(wire.baseURL), memory, result), 'So?')).toBeUndefined();
    expect(wire.requests.flatMap((request) => [refusal(request) ?? [], ...formFaults(request)].flat())).toEqual([]);
    const calls = turns.flatMap((turn) => (typeof turn === 'object' ? (turn.toolCalls ?? []) : []));
    expect(JSON.stringify(wire.requests.at(-1)?.body).split(`"${resultType}"`)).toHaveLength(calls.length + 1);
  });
});

it('a question with a blank text is answered by Bedrock', async () => {
  await using wire = await providers.Bedrock.open();
  wire.replyAlways((request) => {
    const message = bedrockRefusal(request);
    return message === undefined ? { text: 'Yes.' } : { status: 400, message };
  });
  const agent = agentOf(providers.Bedrock.model(wire.baseURL), false);
  const parts = ['Hi', '\n'].map((text) => ({ type: 'text' as const, text }));

  expect((await agent.generateText([{ role: 'user', parts }], run)).text).toBe('Yes.');
});

it('reasoning of one model is not sent to another one, in a later turn and to a fallback model', async () => {
  await using wire = await openAnthropicWire();
  wire.reply({ reasoning: ['Hm'], text: 'Yes.' });
  wire.replyAlways({ text: 'Yes.' });
  const provider = createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' });
  const memory = createMemory({ titles: false });

  await ask(agentOf(provider('claude-opus-4-5'), memory), 'Hi');
  await ask(agentOf(provider('claude-sonnet-4-5'), memory), 'So?');
  await ask(agentOf(provider('claude-opus-4-5'), memory), 'And?');

  const types = wire.requests.map(({ body }) => JSON.stringify(body).split('"type":"thinking"').length - 1);
  expect(types).toEqual([0, 0, 1]);
});
