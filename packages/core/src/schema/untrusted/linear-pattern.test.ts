import { InvalidInputError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { compileLinearPatterns } from './linear-pattern.ts';

it('matches like the pattern in ECMAScript', () => {
  const fits = (pattern: string, text: string): boolean | undefined =>
    compileLinearPatterns(new Map([[pattern, 'here']]))
      .get(pattern)
      ?.test(text);
  expect(fits('^\\u00e9\\p{Lu}\\/[\\w.-]{2}$', 'éÉ/a-')).toBe(true);
  expect(fits('(?<year>\\d{4})', 'in 2026')).toBe(true);
  expect(fits('b$', 'ab\n')).toBe(false);
  expect(fits('^😀.$', '😀😀')).toBe(true);
  expect(fits('\\\\1', 'a\\1')).toBe(true);
  expect(fits('', 'anything')).toBe(true);
});

it.each([
  '(?=a)b',
  '(?!a)b',
  '(?<=a)b',
  '(a)\\1',
  '(?<x>a)\\k<x>',
  '(',
  '[z-a]',
  'a{2000}',
  '(a{100}){100}',
  '(.{1,99}){1,9}'.repeat(20),
  `(${'x'.repeat(5_000)}`,
])('names an unsupported pattern and the reason: %s', (pattern) => {
  const compile = () => compileLinearPatterns(new Map([[pattern, 'here']]));
  expect(compile).toThrow(InvalidInputError);
  expect(compile).toThrow(/^here is not supported by the linear-time pattern engine: .{1,200}$/s);
});

it('limits the memory of all patterns of a schema together', () => {
  const patterns = (count: number) =>
    new Map(Array.from({ length: count }, (_, index) => [`^a{900}${index}$`, 'here']));
  expect(compileLinearPatterns(patterns(5)).size).toBe(5);
  expect(() => compileLinearPatterns(patterns(50))).toThrow('all patterns together are too large');
});
