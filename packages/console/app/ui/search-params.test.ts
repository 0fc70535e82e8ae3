import { expect, it } from 'vitest';
import { listSearch, oneOf, periodSearch, toSince, timeSearch, toWindow } from './search-params.ts';

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

it('accepts a period that has two ends', () => {
  const period = { from: '2027-01-01T00:00:00.000Z', to: '2027-01-01T02:00:00.000Z' };
  expect(periodSearch({ range: '7d', ...period })).toEqual({ range: '7d', ...period });
  expect(periodSearch({ from: period.from })).toEqual({});
  expect(periodSearch({ from: period.to, to: period.from })).toEqual({});
  expect(periodSearch({ ...period, to: 'later' })).toEqual({});
});

it('prefers a period to the range', () => {
  const period = { from: '2027-01-01T00:00:00.000Z', to: '2027-01-01T02:00:00.000Z' };
  expect(toWindow({ range: '7d', ...period })).toEqual(period);
  expect(toWindow({ range: '7d' })).toEqual({ range: '7d' });
  expect(toWindow({})).toEqual({ range: '24h' });
});
