import { InvalidInputError, ModelFailedError, ObjectNotGeneratedError, silentLogger } from '@halyard/contracts';
import { expect, it } from 'vitest';
import type { AgentServices } from '../../services/agent-services.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { createTool } from '../../tool/create-tool.ts';
import { CollectedMetrics } from '../../workflow/testing/collected-metrics.ts';
import { Agent } from '../agent.ts';

const usage = { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1, reasoningTokens: 2 };
function counting(): { readonly metrics: CollectedMetrics; readonly services: Partial<AgentServices> } {
  const metrics = new CollectedMetrics();
  return { metrics, services: { metrics, logger: silentLogger } };
}
const ends = (counted: readonly { readonly end: string }[]): readonly string[] => counted.map(({ end }) => end);

it('counts a run, its model calls with their tokens and its tool calls', async () => {
  const { metrics, services } = counting();
  const search = createTool({
    name: 'search',
    description: 'Finds',
    input: { type: 'object', properties: {} },
    execute: () => Promise.reject(new RangeError('nothing found')),
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'search', input: {} }], usage }, { text: 'Sorry.', usage });
  const agent = new Agent({ id: 'shop', model, tools: [search] });
  await agent.generateText('Tea?', { services });
  expect(metrics.agentRuns).toMatchObject([{ agentId: 'shop', operation: 'text', end: 'completed' }]);
  const call = { agentId: 'shop', provider: 'scripted', modelId: model.modelId, end: 'completed' };
  const tokens = { promptTokens: 3, completionTokens: 4, cachedInputTokens: 1, reasoningTokens: 2 };
  expect(metrics.modelCalls).toMatchObject([
    { ...call, usage: tokens },
    { ...call, usage: tokens },
  ]);
  expect(metrics.toolCalls).toMatchObject([{ toolName: 'search', end: 'failed' }]);
});

it('counts a run that fails, with the model that failed', async () => {
  const { metrics, services } = counting();
  const agent = new Agent({
    id: 'shop',
    model: scriptedModel({ error: new RangeError('no') }),
    retries: { maxRetries: 0 },
  });
  await expect(agent.generateText('Tea?', { services })).rejects.toThrow(ModelFailedError);
  expect([ends(metrics.agentRuns), ends(metrics.modelCalls)]).toEqual([['failed'], ['failed']]);
  expect(metrics.modelCalls[0]).not.toHaveProperty('usage');
});

it('counts a run whose client leaves as aborted', async () => {
  const { metrics, services } = counting();
  const agent = new Agent({ id: 'shop', model: scriptedModel({ text: ['so far'], hangs: true }) });
  const left = new AbortController();
  const stream = await agent.streamText('Tea?', { services, signal: left.signal });
  const reading = (async () => {
    for await (const event of stream) if (event.type === 'text-delta') left.abort();
  })();
  await reading.catch(() => {});
  await expect.poll(() => ends(metrics.agentRuns)).toEqual(['aborted']);
  expect(ends(metrics.modelCalls)).toEqual(['aborted']);
});

it('counts a run whose request is not accepted as refused, without a model call', async () => {
  const { metrics, services } = counting();
  const agent = new Agent({ id: 'shop', model: scriptedModel('Hi') });
  await expect(agent.generateText([], { services })).rejects.toThrow(InvalidInputError);
  expect([ends(metrics.agentRuns), metrics.modelCalls]).toEqual([['refused'], []]);
});

it('counts a run whose object does not fit its schema as failed, although nothing is recorded', async () => {
  const { metrics, services } = counting();
  const agent = new Agent({ id: 'shop', model: scriptedModel('nothing of the kind') });
  const schema = { type: 'object', properties: {} };
  await expect(agent.generateObject('Tea?', { schema, services })).rejects.toThrow(ObjectNotGeneratedError);
  expect(metrics.agentRuns).toMatchObject([{ operation: 'object', end: 'failed' }]);
});
