import { ConfigurationError } from '@halyard/contracts';
import { Agent } from '@halyard/core';
import type { PricedCall } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { afterEach, expect, it, vi } from 'vitest';
import type { Metrics } from '../../api/routes/observability/metrics-schemas.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { openPrices } from './open-prices.ts';

const warn = vi.fn<(fields: object, message: string) => void>();
const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
let server: Served | undefined;
afterEach(async () => {
  warn.mockClear();
  await server?.close();
  server = undefined;
});

function call(provider: string | undefined, model: string, changes: Partial<PricedCall> = {}): PricedCall {
  const tokens = { inputTokens: 1_000_000, cachedInputTokens: 0, outputTokens: 0 };
  return { provider, model, ...tokens, time: Date.UTC(2026, 0, 1), ...changes };
}

it('computes costs by prices of the app', async () => {
  const costOf = await openPrices(
    { large: { input: 2, cachedInput: 0.5, output: 10 }, tiny: { input: 1, output: 3 } },
    logger,
  );
  expect(costOf?.(call('any', 'large', { cachedInputTokens: 500_000, outputTokens: 100_000 }))).toBe(2.25);
  expect(costOf?.(call('any', 'tiny', { cachedInputTokens: 500_000 }))).toBe(1);
  expect(costOf?.(call('any', 'toString'))).toBeUndefined();
});

it.each([
  ['openai', 'gpt-5-mini'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['google', 'gemini-2.5-flash'],
  ['amazon-bedrock', 'anthropic.claude-sonnet-4-20250514-v1:0'],
  ['azure', 'gpt-4o'],
  ['mistral', 'mistral-large-latest'],
  ['xai', 'grok-4'],
  ['gateway', 'openai/gpt-5-mini'],
  ['openrouter', 'openai/gpt-5-mini'],
])('knows the bundled price of a model of %s', async (provider, model) => {
  const costOf = await openPrices('bundled', logger);
  const cost = costOf?.(call(provider, model)) ?? 0;
  expect(cost).toBeGreaterThan(0);
  expect(costOf?.(call(provider, model, { outputTokens: 1000 }))).toBeGreaterThan(cost);
  expect(costOf?.(call(provider, model, { cachedInputTokens: 1_000_000 }))).toBeLessThanOrEqual(cost);
});

it.each([
  ['openai', 'my-model'],
  ['ollama', 'gpt-5-mini'],
  ['unknown', 'gpt-5-mini'],
  ['gateway', 'nobody/gpt-5-mini'],
])('knows no cost of a model without a bundled price: %s, %s', async (provider, model) => {
  const costOf = await openPrices('bundled', logger);
  expect(costOf?.(call(provider, model))).toBeUndefined();
});

it('warns once of counts that cannot be right', async () => {
  const costOf = await openPrices('bundled', logger);
  for (let count = 0; count < 2; count += 1)
    expect(costOf?.(call('openai', 'gpt-5-mini', { cachedInputTokens: 2_000_000 }))).toBeUndefined();
  expect(warn).toHaveBeenCalledTimes(1);
});

it('refuses other values', async () => {
  await expect(openPrices('Bundled' as 'bundled', logger)).rejects.toThrow(ConfigurationError);
});

it('counts the cost of models with a price, and says how many calls have none', async () => {
  const answered = (id: string, provider: string, modelId: string): Agent => {
    const model = scriptedModel({ text: 'Hello', usage: { inputTokens: 1000, outputTokens: 100 } });
    return new Agent({ id, model: Object.assign(model, { provider, modelId }) });
  };
  const agents = [answered('known', 'openai.responses', 'gpt-5-mini'), answered('own', 'vllm', 'gpt-5-mini')];
  server = await serve([], { agents, telemetry: { prices: 'bundled' } });
  const { origin } = server;
  for (const { id } of agents)
    await fetch(`${origin}/agents/${id}/text`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":"Hello"}',
    });

  const metrics = async (groupBy: string): Promise<Metrics> => {
    const reply = await fetch(`${origin}/observability/metrics?range=1h&groupBy=${groupBy}`);
    return ((await reply.json()) as { data: Metrics }).data;
  };
  await expect.poll(async () => (await metrics('agent')).groups).toHaveLength(2);
  const { groups, totals } = await metrics('agent');

  const known = groups.find(({ id }) => id === 'known');
  expect(known).toMatchObject({ cost: expect.closeTo(0.000_45, 6), unpricedCalls: 0 });
  expect(groups.find(({ id }) => id === 'own')).toMatchObject({ cost: null, unpricedCalls: 1 });
  expect(totals).toMatchObject({ cost: known?.cost, unpricedCalls: 1 });
});
