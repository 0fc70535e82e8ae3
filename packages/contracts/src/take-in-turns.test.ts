import { expect, it } from 'vitest';
import { takeInTurns } from './take-in-turns.ts';

const subjectOf = (item: string): string | null => (item.startsWith('-') ? null : (item[0] ?? null));

it('returns all items when they are not too many', () => {
  expect(takeInTurns(['a1', 'a2', 'b1'], 3, subjectOf)).toEqual(['a1', 'a2', 'b1']);
});

it.each([
  [1, ['a1']],
  [2, ['a1', 'b1']],
  [3, ['a1', 'b1', '-1']],
  [5, ['a1', 'a2', 'a3', 'b1', '-1']],
])('gives each subject its first items in turns, in the order of all: %j', (limit, expected) => {
  expect(takeInTurns(['a1', 'a2', 'a3', 'a4', 'b1', '-1'], limit, subjectOf)).toEqual(expected);
});
