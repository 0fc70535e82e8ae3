import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern, samplesOf } from './pattern.ts';

fc.configureGlobal({ seed: Number(process.env['HALYARD_SEED'] ?? 1) });

const pieces = fc.constantFrom(
  'a',
  'b',
  '\\d',
  '[a-c]',
  '[^a]',
  '.',
  '(?:ab|c)',
  '(?<x>b)',
  '\\w',
  '\\s',
  '\\.',
  '[\\d-]',
  '\\u0061',
  '[]',
  'é',
);
const counts = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?');
const patterns = fc
  .tuple(
    fc.constantFrom('', '^'),
    fc.array(
      fc.tuple(pieces, counts).map((parts) => parts.join('')),
      { maxLength: 5 },
    ),
    fc.constantFrom('', '$', '|b$'),
  )
  .map(([start, middle, end]) => start + middle.join('') + end)
  // A group name may be used only once.
  .filter((pattern) => pattern.split('?<x>').length < 3);
const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', 'ab', '1', '-', '.', ' ', 'é', '😀'), { maxLength: 8 })
  .map((parts) => parts.join(''));

describe('a pattern', () => {
  it('matches what the engine of the language matches', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(matchesPattern(pattern, text)).toBe(new RegExp(pattern, 'u').test(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['^[A-Z]{3}-\\d{4}$', 'ABC-1234', 'abc-1234'],
    ['^(?=.*\\d)[a-z\\d]{4,8}$', 'abc1', 'abcd'],
    ['^\\p{Lu}', 'Éa', 'éa'],
    ['^#(?:[0-9a-f]{3}){1,2}$', '#a0f', '#a0'],
  ])('%s matches %s, not %s', (pattern, yes, no) => {
    expect(matchesPattern(pattern, yes)).toBe(true);
    expect(matchesPattern(pattern, no)).toBe(false);
  });

  it('that is invalid matches nothing', () => {
    expect(matchesPattern('(', '(')).toBe(false);
    expect(matchesPattern('a{2}{3}', 'aaaaaa')).toBe(false);
  });
});

describe('samples', () => {
  it.each([
    '^[A-Z]{3}-\\d{4}$',
    '^(?:red|green)$',
    '^\\S+@\\S+\\.\\S+$',
    '^[^a-z]{2}$',
    '^(\\d{3} )?\\d{3}$',
    'x',
    '^v\\d+\\.\\d+\\.\\d+$',
    '^\\p{Lu}?\\w+$',
  ])('of %s match it', (pattern) => {
    expect([...samplesOf(pattern, 0)].some((sample) => new RegExp(pattern, 'u').test(sample))).toBe(true);
  });

  it('have the requested length', () => {
    expect([...samplesOf('^[a-z]+$', 300)].some((sample) => sample.length >= 300)).toBe(true);
  });
});
