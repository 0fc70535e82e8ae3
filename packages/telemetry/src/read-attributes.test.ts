import { expect, it } from 'vitest';
import { readAttributes } from './read-attributes.ts';

it('returns valid values as they are, and others as JSON', () => {
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;

  expect(
    readAttributes({
      text: 'a',
      count: 1,
      yes: true,
      list: ['a', 'b'],
      mixed: ['a', 1],
      map: { a: 1 },
      none: null,
      gone: undefined,
      cyclic,
    }),
  ).toEqual({ text: 'a', count: 1, yes: true, list: ['a', 'b'], mixed: '["a",1]', map: '{"a":1}', cyclic: 'object' });
});
