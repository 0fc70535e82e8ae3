import { expect, it } from 'vitest';
import { runWithinBudget } from './time-budget.ts';

it('returns what the body returns and throws what it throws', () => {
  expect(runWithinBudget(1_000, () => 5)).toEqual({ done: true, value: 5 });
  expect(runWithinBudget(1_000, () => undefined)).toEqual({ done: true, value: undefined });
  expect(() => runWithinBudget(1_000, () => JSON.parse('{'))).toThrow(SyntaxError);
});

it('ends a loop that does not end by itself, and works again after it', () => {
  const endless = () => {
    for (;;);
  };
  expect(runWithinBudget(20, endless)).toEqual({ done: false, reason: 'time' });
  expect(runWithinBudget(1_000, () => 5)).toEqual({ done: true, value: 5 });
});

it('ends a native regular expression that does not end by itself', () => {
  expect(runWithinBudget(20, () => /^(a+)+$/.test(`${'a'.repeat(50)}!`))).toEqual({ done: false, reason: 'time' });
});

it('ends recursion that does not end by itself', () => {
  const descend = (): number => 1 + descend();
  expect(runWithinBudget(5_000, descend)).toEqual({ done: false, reason: 'stack' });
});

it('passes on errors of the body that only look like its own', () => {
  expect(() => runWithinBudget(1_000, () => 'a'.repeat(-1))).toThrow('Invalid count value');
});
