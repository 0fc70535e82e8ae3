import { describe, expect, it } from 'vitest';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import { collectEvents, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import { redactPii } from '../processors/redact-pii.ts';

const look = createTool({
  name: 'look',
  description: 'Looks',
  input: { type: 'object', properties: {} },
  execute: () => 'seen',
});

const signed = { anthropic: { signature: 'sig-1' } };
const thought = { google: { thoughtSignature: 'sig-2' } };

/**
 * A signature arrives as Anthropic sends it (a delta without text), another as Google does (with
 * the last delta).
 */
const thinking: ScriptedReply = {
  parts: [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'I must look.' },
    { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: signed },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Let me ' },
    { type: 'text-delta', id: 't', delta: 'look.', providerMetadata: thought },
    { type: 'text-delta', id: 't', delta: '' },
    { type: 'text-end', id: 't' },
  ],
  toolCalls: [{ toolName: 'look', input: {}, toolCallId: 'c' }],
};

const reasoning = { type: 'reasoning', text: 'I must look.', providerOptions: signed };
const text = { type: 'text', text: 'Let me look.', providerOptions: thought };

it('sends the metadata of deltas back with the next step', async () => {
  const model = scriptedModel(thinking, 'Done.');

  await collectEvents(await new Agent({ id: 'a', model, tools: [look] }).streamText('Go'));

  const answer = model.calls[1]?.prompt.find(({ role }) => role === 'assistant');
  expect(answer?.content).toEqual(expect.arrayContaining([reasoning, text]));
});

it('emits the metadata of deltas', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel(thinking, 'Done.'), tools: [look] });

  const events = await collectEvents(await agent.streamText('Go'));

  expect(events).toContainEqual({ type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: signed });
  expect(events).toContainEqual({ type: 'text-delta', id: 't', delta: 'look.', providerMetadata: thought });
});

it('stores the metadata of deltas, and sends it in later turns', async () => {
  const { agent, model, options } = agentWithMemory([thinking, 'Done.', 'Again.'], { tools: [look] });

  await collectEvents(await agent.streamText('Go', options));
  await collectEvents(await agent.streamText('Again', options));

  const answers = model.calls[2]?.prompt.filter(({ role }) => role === 'assistant') ?? [];
  expect(answers[0]?.content).toEqual(expect.arrayContaining([reasoning, text]));
});

it('keeps the metadata of a text that guardrails check', async () => {
  const model = scriptedModel(thinking, 'Done.');
  const outputGuardrails = [{ name: 'allow', check: () => ({ action: 'allow' as const }) }];
  const agent = new Agent({ id: 'a', model, tools: [look], outputGuardrails });

  await collectEvents(await agent.streamText('Go'));

  const answer = model.calls[1]?.prompt.find(({ role }) => role === 'assistant');
  expect(answer?.content).toEqual(expect.arrayContaining([reasoning, text]));
});

it('replaces the metadata of a block by newer metadata, as the AI SDK does', async () => {
  const model = scriptedModel(
    {
      parts: [
        { type: 'text-start', id: 't', providerMetadata: { first: { id: 1 } } },
        { type: 'text-delta', id: 't', delta: 'Hi' },
        { type: 'text-end', id: 't', providerMetadata: { last: { id: 2 } } },
      ],
      toolCalls: [{ toolName: 'look', input: {} }],
    },
    'Done.',
  );

  await collectEvents(await new Agent({ id: 'a', model, tools: [look] }).streamText('Go'));

  const answer = model.calls[1]?.prompt.find(({ role }) => role === 'assistant');
  expect(answer?.content).toContainEqual({ type: 'text', text: 'Hi', providerOptions: { last: { id: 2 } } });
});

describe('the metadata of a step and of its calls', () => {
  const cached = { p: { cachedTokens: 7 } };
  const itemId = { p: { itemId: 'i' } };
  const counted = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
  const end = (unified: 'stop' | 'tool-calls') =>
    ({ type: 'finish', finishReason: { unified, raw: unified }, usage: counted, providerMetadata: cached }) as const;
  const input = { type: 'object', properties: {} };
  const watch = createTool({
    name: 'watch',
    description: 'Watches',
    input,
    execute: async function* () {
      yield 'half';
      yield 'whole';
    },
  });
  const fail = createTool({
    name: 'fail',
    description: 'Fails',
    input,
    execute: () => {
      throw new Error('broken');
    },
  });
  const call = (toolName: string) =>
    ({ type: 'tool-call', toolCallId: toolName, toolName, input: '{}', providerMetadata: itemId }) as const;
  const agentWith = (options: Partial<AgentOptions> = {}) =>
    new Agent({
      id: 'a',
      model: scriptedModel(
        { parts: [call('watch'), call('fail'), end('tool-calls')], breaksOff: true },
        { text: 'Done', parts: [end('stop')], breaksOff: true },
      ),
      tools: [watch, fail],
      ...options,
    });
  const eventsOf = async (agent: Agent) =>
    collectEvents(await agent.streamText('Hi', { services: { logger: silentLogger } }));

  it('are part of the events of their ends', async () => {
    const events = await eventsOf(agentWith());

    const providerFields = events.flatMap((event) =>
      ['tool-result', 'tool-error', 'finish-step'].includes(event.type) && 'providerMetadata' in event
        ? [[event.type, event.providerMetadata] as const]
        : [],
    );
    // Tools run in parallel.
    expect(providerFields.map(([type]) => type).toSorted()).toEqual([
      'finish-step',
      'finish-step',
      'tool-error',
      'tool-result',
      'tool-result',
      'tool-result',
    ]);
    for (const [type, metadata] of providerFields) expect(metadata).toEqual(type === 'finish-step' ? cached : itemId);
  });

  it('of a step are left out if the answer is processed: they may contain text', async () => {
    const events = await eventsOf(agentWith({ processors: [redactPii()] }));

    const ends = events.filter(({ type }) => type === 'finish-step');
    expect(ends).toHaveLength(2);
    for (const event of ends) expect(event).not.toHaveProperty('providerMetadata');
  });
});
