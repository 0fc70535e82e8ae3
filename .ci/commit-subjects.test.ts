import { expect, it } from 'vitest';
import { longSubjects } from './commit-subjects.ts';

it('accepts subjects of up to 72 characters', () => {
  expect(longSubjects(`1a2b3c4 ${'x'.repeat(72)}\n5d6e7f8 Fix a typo\n`)).toEqual([]);
});

it('names each commit with a longer subject, and its length', () => {
  const long = 'x'.repeat(73);
  expect(longSubjects(`1a2b3c4 ${long}\n5d6e7f8 Fix a typo\n9a8b7c6 ${long}y\n`)).toEqual([
    `1a2b3c4 ${long}\n  has 73 characters`,
    `9a8b7c6 ${long}y\n  has 74 characters`,
  ]);
});

it('accepts a range without commits', () => {
  expect(longSubjects('')).toEqual([]);
});
