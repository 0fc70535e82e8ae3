import { expect, it } from 'vitest';
import { runWithinBudget } from './time-budget.ts';

it('returns the value of the body and rethrows its errors', () => {
  expect(runWithinBudget(1_000, () => 5)).toEqual({ done: true, value: 5 });
  expect(runWithinBudget(1_000, () => undefined)).toEqual({ done: true, value: undefined });
  expect(() => runWithinBudget(1_000, () => JSON.parse('{'))).toThrow(SyntaxError);
});

it('ends an endless loop and works again afterwards', () => {
  const endless = () => {
    for (;;);
  };
  expect(runWithinBudget(20, endless)).toEqual({ done: false, reason: 'time' });
  expect(runWithinBudget(1_000, () => 5)).toEqual({ done: true, value: 5 });
});

it('ends an endless native regular expression', () => {
  expect(runWithinBudget(20, () => /^(a+)+$/.test(`${'a'.repeat(50)}!`))).toEqual({ done: false, reason: 'time' });
});

it('ends endless recursion', () => {
  const descend = (): number => 1 + descend();
  expect(runWithinBudget(5_000, descend)).toEqual({ done: false, reason: 'stack' });
});

it('rethrows errors of the body that only look like its own', () => {
  expect(() => runWithinBudget(1_000, () => 'a'.repeat(-1))).toThrow('Invalid count value');
});
