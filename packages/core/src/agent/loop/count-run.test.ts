import {
  AbortedError,
  InvalidInputError,
  ModelFailedError,
  ObjectNotGeneratedError,
  silentLogger,
} from '@halyard/contracts';
import { expect, it } from 'vitest';
import { fixedClock } from '../../testing/fixed-clock.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { createTool } from '../../tool/create-tool.ts';
import { CollectedMetrics } from '../../workflow/testing/collected-metrics.ts';
import type { InternalRunOptions } from '../agent-options.ts';
import type { AgentServices } from '../agent-services.ts';
import { Agent } from '../agent.ts';
import { endOfFailed, RunCounter } from './count-run.ts';
import { noJournal } from './journal.ts';
import { RunSuspended } from './suspensions.ts';

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
  const agent = new Agent({ id: 'shop', name: 'The shop', model, tools: [search] });
  await agent.generateText('Tea?', { services });
  expect(metrics.agentRuns).toMatchObject([
    { agentId: 'shop', agentName: 'The shop', operation: 'text', end: 'completed', inferenceCalls: 2, toolCalls: 1 },
  ]);
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
  expect(metrics.modelCalls[0]).toMatchObject({ provider: 'scripted', modelId: 'scripted' });
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
  expect(metrics.agentRuns).toMatchObject([{ inferenceCalls: 0, toolCalls: 0 }]);
});

it('counts a run whose object does not fit its schema as failed, although nothing is recorded', async () => {
  const { metrics, services } = counting();
  const agent = new Agent({ id: 'shop', model: scriptedModel('nothing of the kind') });
  const schema = { type: 'object', properties: {} };
  await expect(agent.generateObject('Tea?', { schema, services })).rejects.toThrow(ObjectNotGeneratedError);
  expect(metrics.agentRuns).toMatchObject([{ operation: 'object', end: 'failed' }]);
});

it('counts the calls of a sub-agent in its own run', async () => {
  const { metrics, services } = counting();
  const helper = new Agent({ id: 'helper', model: scriptedModel('Green tea.') });
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'ask_helper', input: { task: 'Tea?' } }] },
    { text: 'Green tea.' },
  );
  await new Agent({ id: 'boss', model, subAgents: [helper] }).generateText('Tea?', { services });
  expect(metrics.agentRuns).toMatchObject([
    { agentId: 'helper', inferenceCalls: 1, toolCalls: 0 },
    { agentId: 'boss', inferenceCalls: 2, toolCalls: 1 },
  ]);
});

it('counts the input tokens that the provider has written to its cache', async () => {
  const { metrics, services } = counting();
  const model = scriptedModel({ text: 'Hi', usage: { ...usage, cacheWriteTokens: 5 } });
  await new Agent({ id: 'shop', model }).generateText('Tea?', { services });
  await (
    await new Agent({ id: 'shop', model }).streamText('Tea?', { services })
  ).result;
  expect(metrics.modelCalls).toMatchObject([{ cacheWriteTokens: 5 }, { cacheWriteTokens: 5 }]);
});

it('measures how long runs and model calls take, by the clock of the services', async () => {
  const { metrics, services } = counting();
  const clock = fixedClock();
  const model = scriptedModel(() => {
    clock.advance(700);
    return 'Hi';
  });
  await new Agent({ id: 'shop', model }).generateText('Tea?', { services: { ...services, clock } });
  expect(metrics.agentRuns).toMatchObject([{ durationMs: 700 }]);
  expect(metrics.modelCalls).toMatchObject([{ durationMs: 700 }]);
});

it('counts a run under the name that its caller gives it', async () => {
  const { metrics, services } = counting();
  await new Agent({ id: 'shop', model: scriptedModel('Hi') }).generateText('Tea?', {
    services,
    operation: 'chat',
  } as InternalRunOptions);
  expect(metrics.agentRuns).toMatchObject([{ operation: 'chat' }]);
});

it('counts a failed call without a model as one of an unknown model', () => {
  const { metrics } = counting();
  const counter = new RunCounter({ id: 'shop', name: 'Shop' }, 'text', { metrics, clock: fixedClock() }, 0);
  counter.modelCall().failed(undefined, new Error('none'));
  expect(metrics.modelCalls).toEqual([
    { agentId: 'shop', provider: 'unknown', modelId: 'unknown', end: 'failed', durationMs: 0 },
  ]);
});

it('counts a run that continues later or elsewhere as suspended', () => {
  const run = (isStale?: boolean) => ({
    journal: { ...noJournal, ...(isStale !== undefined && { isStale: () => isStale }) },
  });
  expect(endOfFailed(run(), new RunSuspended([]))).toBe('suspended');
  expect(endOfFailed(run(true), new Error('taken over'))).toBe('suspended');
  expect(endOfFailed(run(false), new Error('no'))).toBe('failed');
  expect(endOfFailed(run(), new AbortedError())).toBe('aborted');
});
