import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent, type AgentOptions, createMemory, createTool } from '@halyard/core';
import { collectEvents, type ScriptedTurn, scriptedModel, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { openAnthropicWire, openOpenaiWire, type RecordedRequest } from '../wire/index.ts';
import { anthropicRefusal, responsesRefusal } from './refusals.ts';

/** Conversations that one model began, with calls, ids, results and texts of all forms, and that the model of a provider continues. */
const look = (result: unknown = 'Rain') =>
  createTool({
    name: 'look',
    description: 'Looks',
    input: Type.Object({ city: Type.String() }),
    execute: () => result,
  });
const input = { city: 'Oslo' };

const begun: Readonly<
  Record<string, { readonly turns: readonly [ScriptedTurn, ...ScriptedTurn[]]; result?: unknown }>
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
  'arguments that are no JSON': { turns: [{ toolCalls: [{ toolName: 'look', input: '{"city":"Os' }] }, 'Done.'] },
};

const run = { userId: 'ada', conversationId: 'c1', services: { logger: silentLogger } };

async function ask(agent: Agent, question: string): Promise<string | undefined> {
  const events = await collectEvents(await agent.streamText(question, run));
  return events.find((event) => event.type === 'error')?.error;
}

const agentOf = (model: AgentOptions['model'], memory: AgentOptions['memory'], result?: unknown): Agent =>
  new Agent({ id: 'a', model, tools: [look(result)], memory, generation: unset });

/** What providers refuse, whatever their API: names, ids and texts of other forms. */
function formFaults({ body }: RecordedRequest): readonly string[] {
  const faults: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) faults.push(`${key} is no valid JSON`);
      if (key === 'name' && !/^[a-zA-Z0-9_-]{1,64}$/.test(value)) faults.push(`name ${value}`);
      if (/^(id|call_id|tool_use_id)$/.test(key) && !/^[a-zA-Z0-9_-]{1,64}$/.test(value))
        faults.push(`${key} ${value}`);
      if (/^(content|output)$/.test(key) && value.trim() === '') faults.push(`${key} is empty`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value)) visit(field, Array.isArray(value) ? key : name);
    }
  };
  visit(body['messages'] ?? body['input'], '');
  return faults;
}

describe.each(Object.entries(begun))('a conversation with %s', (_what, { result, turns }) => {
  it('is continued by Anthropic', async () => {
    await using wire = await openAnthropicWire();
    wire.replyAlways({ text: 'Yes.' });
    const memory = createMemory({ titles: false });
    await ask(agentOf(scriptedModel(...turns), memory, result), 'Hi');
    const model = createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' })('claude-haiku-4-5');

    expect(await ask(agentOf(model, memory, result), 'So?')).toBeUndefined();
    expect(
      wire.requests.flatMap((request) => [anthropicRefusal(request) ?? [], ...formFaults(request)].flat()),
    ).toEqual([]);
    const calls = turns.flatMap((turn) => (typeof turn === 'object' ? (turn.toolCalls ?? []) : []));
    expect(JSON.stringify(wire.requests.at(-1)?.body).split('"tool_result"')).toHaveLength(calls.length + 1);
  });

  it('is continued by OpenAI', async () => {
    await using wire = await openOpenaiWire();
    wire.replyAlways({ text: 'Yes.' });
    const memory = createMemory({ titles: false });
    await ask(agentOf(scriptedModel(...turns), memory, result), 'Hi');
    const model = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test' })('gpt-5');

    expect(await ask(agentOf(model, memory, result), 'So?')).toBeUndefined();
    const refusal = responsesRefusal(new Set());
    expect(wire.requests.flatMap((request) => [refusal(request) ?? [], ...formFaults(request)].flat())).toEqual([]);
  });
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
