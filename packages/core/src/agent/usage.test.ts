import { expect, it } from 'vitest';
import { addUsage, noUsage, toUsage, type Usage, usageSum } from './usage.ts';

const one: Usage = {
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  cachedInputTokens: 4,
  reasoningTokens: 5,
};
const ten: Usage = {
  promptTokens: 10,
  completionTokens: 20,
  totalTokens: 30,
  cachedInputTokens: 40,
  reasoningTokens: 50,
};
const sum: Usage = {
  promptTokens: 11,
  completionTokens: 22,
  totalTokens: 33,
  cachedInputTokens: 44,
  reasoningTokens: 55,
};

it('adds up, also for the run that delegates', () => {
  expect(addUsage(one, ten)).toEqual(sum);
  const parent: Usage[] = [];
  const used = usageSum((usage) => parent.push(usage));
  expect(used.total()).toEqual(noUsage);
  for (const usage of [one, ten]) used.add(usage);
  expect(used.total()).toEqual(sum);
  expect(parent).toEqual([one, ten]);
  const alone = usageSum();
  alone.add(one);
  expect(alone.total()).toEqual(one);
});

it('is 0 where the provider reports no number', () => {
  const usage = (total: number | undefined, cacheRead?: number, reasoning?: number) =>
    toUsage({ inputTokens: { total, cacheRead }, outputTokens: { total, reasoning } } as never);
  expect(usage(3, 1, 2)).toEqual({
    promptTokens: 3,
    completionTokens: 3,
    totalTokens: 6,
    cachedInputTokens: 1,
    reasoningTokens: 2,
  });
  for (const total of [undefined, NaN, Infinity, 0]) expect(usage(total)).toEqual(noUsage);
});
