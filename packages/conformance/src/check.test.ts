import { expect, it } from 'vitest';
import { check, checkEqual, checkFound } from './check.ts';
import { ConformanceError } from './conformance-error.ts';

class Row {
  b = [1, { c: null }];
  a = 'x';
  absent = undefined;
}

it('compares as JSON: not the order of keys, nor absent fields, nor classes', () => {
  expect(() => checkEqual(new Row(), { a: 'x', b: [1, { c: null }] }, 'The row')).not.toThrow();
  expect(() => checkEqual(undefined, undefined, 'Nothing')).not.toThrow();
});

it.each([
  ['another order in a list', [2, 1], [1, 2]],
  ['one item more', [1, 2, 3], [1, 2]],
  ['a key more', { a: 1, b: null }, { a: 1 }],
  ['a key fewer', {}, { a: 1 }],
  ['a text for a number', '1', 1],
  ['nothing for null', undefined, null],
  ['a list for an object', [], {}],
  ['a changed prototype', JSON.parse('{"__proto__":{"a":1}}'), {}],
])('detects a difference in %s', (_what, actual, expected) => {
  expect(() => checkEqual(actual, expected, 'It')).toThrow(ConformanceError);
});

it('reports the expected and the actual value, shortened', () => {
  expect(() => checkEqual({ a: 1 }, [2], 'The answer')).toThrow('The answer should be [2], but is {"a":1}');
  expect(() => checkEqual('x'.repeat(10_000), '', 'The text')).toThrow(/^.{0,600}…/);
  expect(() => checkFound(undefined, 'The execution')).toThrow('The execution should be there, but is not');
  expect(() => check(false, 'It should hold')).toThrow('It should hold');
});
