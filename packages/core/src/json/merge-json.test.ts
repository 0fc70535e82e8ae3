import { expect, it } from 'vitest';
import { mergeJson } from './merge-json.ts';

it('merges fields of objects, and replaces everything else', () => {
  const base = { a: 1, list: [1, 2], in: { x: 1, y: { z: 1 } } };

  expect(mergeJson(base, { b: 2, list: [3], in: { y: { w: 2 } } })).toEqual({
    a: 1,
    b: 2,
    list: [3],
    in: { x: 1, y: { z: 1, w: 2 } },
  });
  expect(mergeJson(base, 'text')).toBe('text');
  expect(mergeJson(undefined, base)).toBe(base);
  expect(base.in).toEqual({ x: 1, y: { z: 1 } });
});

it('sets no prototypes', () => {
  const merged = mergeJson({}, JSON.parse('{"__proto__":{"admin":true}}'));

  expect(Reflect.get(Object(merged), 'admin')).toBeUndefined();
});
