import { expect, it } from 'vitest';
import { listSearch, oneOf, toSince, timeSearch } from './search-params.ts';

it('keeps the named parameters that have a text', () => {
  const search = { a: 'x', b: '', c: 5, d: false, e: null, f: ['x'], other: 'y' };
  expect(listSearch(search, ['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toEqual({ a: 'x', c: '5', d: 'false' });
});

it('accepts the values that are known', () => {
  expect(oneOf(['asc', 'desc'], 'desc')).toBe('desc');
  expect(oneOf(['asc', 'desc'], 'up')).toBeUndefined();
  expect(oneOf(['asc', 'desc'], undefined)).toBeUndefined();
});

it('accepts the ranges that are known', () => {
  expect(timeSearch({ range: '24h' })).toEqual({ range: '24h' });
  expect(timeSearch({ range: '25h' })).toEqual({});
  expect(timeSearch({})).toEqual({});
  expect(toSince(undefined)).toEqual({});
});
