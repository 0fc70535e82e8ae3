import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { collectEvents, fixedClock, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';

const created = new Date('2026-02-03T04:05:06Z');
const clock = fixedClock(created.getTime() + 1_000);
const services = { logger: silentLogger, clock };
const weather = createTool({
  name: 'getWeather',
  description: 'Current weather',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => ({ city, celsius: 21 }),
});
const warning = { type: 'other' as const, message: 'no seed' };
const looks: ScriptedReply = {
  reasoning: 'Rome?',
  text: 'Let me look.',
  toolCalls: [{ toolName: 'getWeather', input: { city: 'Rome' }, toolCallId: 'r' }],
  parts: [
    { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: '{"q":1}', providerExecuted: true },
    {
      type: 'tool-result',
      toolCallId: 'w',
      toolName: 'web',
      result: { hits: 1 },
      providerMetadata: { p: { cost: 1 } },
    },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://rome.example' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
  ],
  warnings: [warning],
  usage: { inputTokens: 10, outputTokens: 2 },
};
const answers: ScriptedReply = {
  reasoning: 'Warm.',
  text: 'It is warm.',
  parts: [{ type: 'response-metadata', id: 'resp-2', modelId: 'scripted-2026', timestamp: created }],
  usage: { inputTokens: 20, outputTokens: 3 },
};

function agentOf(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ id: 'a', model: scriptedModel(looks, answers), tools: [weather], ...options });
}

it.each(['generateText', 'streamText'] as const)(
  'has every step and what all steps add up to in the result of %s',
  async (method) => {
    const result =
      method === 'generateText'
        ? await agentOf().generateText('Weather?', { services })
        : await streamedResult(agentOf());

    const web = { toolCallId: 'w', toolName: 'web', input: { q: 1 }, providerExecuted: true, dynamic: true };
    const rome = { toolCallId: 'r', toolName: 'getWeather', input: { city: 'Rome' } };
    expect(result).toMatchObject({
      text: 'It is warm.',
      fullText: 'Let me look.\n\nIt is warm.',
      reasoning: [{ type: 'reasoning', text: 'Warm.' }],
      reasoningText: 'Warm.',
      files: [{ mediaType: 'image/png', base64: 'AQID', url: 'data:image/png;base64,AQID' }],
      sources: [{ id: 's', url: 'https://rome.example' }],
      finishReason: 'stop',
      usage: { promptTokens: 30, completionTokens: 5, totalTokens: 35 },
      warnings: [warning],
      response: { id: 'resp-2', modelId: 'scripted-2026', timestamp: created },
    });
    expect(result.files[0]?.uint8Array).toEqual(new Uint8Array([1, 2, 3]));
    expect(new Set(result.toolCalls)).toEqual(new Set([web, rome]));
    expect(result.toolResults).toEqual([
      { ...web, output: { hits: 1 }, providerMetadata: { p: { cost: 1 } } },
      { ...rome, output: { city: 'Rome', celsius: 21 } },
    ]);
    expect(result.steps).toMatchObject([
      {
        stepNumber: 0,
        model: { provider: 'scripted', modelId: 'scripted' },
        text: 'Let me look.',
        reasoningText: 'Rome?',
        files: [{ base64: 'AQID' }],
        sources: [{ id: 's' }],
        finishReason: 'tool-calls',
        usage: { totalTokens: 12 },
        warnings: [warning],
        response: { modelId: 'scripted', timestamp: new Date(clock.now()) },
        providerMetadata: undefined,
      },
      {
        stepNumber: 1,
        text: 'It is warm.',
        reasoningText: 'Warm.',
        toolCalls: [],
        finishReason: 'stop',
        usage: { totalTokens: 23 },
        warnings: [],
        response: { id: 'resp-2', modelId: 'scripted-2026', timestamp: created },
      },
    ]);
  },
);

async function streamedResult(agent: Agent) {
  const stream = await agent.streamText('Weather?', { services });
  await collectEvents(stream);
  return stream.result;
}

it('returns the messages of a run so that the next request can contain them', async () => {
  const model = scriptedModel(looks, answers, 'Goodbye.');
  const agent = new Agent({ id: 'a', model, tools: [weather] });

  const { responseMessages } = await agent.generateText('Weather?', { services });
  expect(responseMessages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
  const question = { role: 'user' as const, content: 'Weather?' };
  await agent.generateText([question, ...responseMessages, { role: 'user', content: 'Bye' }], { services });

  const [, second, third] = model.calls.map(({ prompt }) => prompt);
  expect(third?.slice(0, second?.length)).toEqual(second);
  expect(third?.slice(-2)).toMatchObject([{ role: 'assistant' }, { role: 'user' }]);
});

it('marks a call that could not run, and has no result of it', async () => {
  const model = scriptedModel({ toolCalls: [{ toolName: 'getWeather', input: { city: 7 } }] }, 'Sorry.');
  const { toolCalls, toolResults } = await agentOf({ model }).generateText('Weather?', { services });

  expect(toolCalls).toMatchObject([{ toolName: 'getWeather', input: { city: 7 }, invalid: true }]);
  expect(toolResults).toEqual([]);
});

it('returns no reasoning of an agent with output guardrails', async () => {
  const agent = agentOf({ outputGuardrails: [{ name: 'all', check: () => ({ action: 'allow' }) }] });
  const { reasoning, reasoningText, steps } = await agent.generateText('Weather?', { services });

  expect([reasoning, reasoningText, steps.map((step) => step.reasoning)]).toEqual([[], undefined, [[], []]]);
});
