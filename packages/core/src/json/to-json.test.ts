import { expect, it } from 'vitest';
import { copyJson, toJson } from './to-json.ts';

class Price {
  readonly cents = 5;
  #secret = 1;
  get euros(): number {
    return this.#secret;
  }
}

it.each([
  [{ a: [1, 'x', null, true, { b: [] }], c: {} }],
  [{ gone: undefined, list: [undefined, 1], at: new Date(0), none: null }],
  [new Price()],
  [Buffer.from('ab')],
  [[Number.NaN, Infinity, -0, 1e21, Number.MAX_SAFE_INTEGER]],
  [{ boxed: [Object(1), Object('s'), Object(false)] }],
  ['lone \ud800 surrogate, separator \u2028'],
  [JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')],
  [{ toJSON: () => ({ nested: new Date(1) }) }],
  [Object.create(null)],
])('converts %j as a round trip through text would', (value: unknown) => {
  expect(toJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
  expect(Object.getPrototypeOf(toJson(value))).toBe(Object.getPrototypeOf(JSON.parse(JSON.stringify(value))));
});

it('converts undefined to null', () => {
  expect(toJson(undefined)).toBeNull();
});

it('refuses values that JSON cannot represent, naming value and field', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = [cycle];

  expect(() => toJson({ a: { items: new Map() } })).toThrow('a Map in "items"');
  expect(() => toJson(new Set())).toThrow('a Set');
  expect(() => toJson({ n: 1n })).toThrow('a BigInt in "n"');
  expect(() => toJson({ f: () => {} })).toThrow('a function in "f"');
  expect(() => toJson({ s: Symbol('s') })).toThrow('a symbol in "s"');
  expect(() => toJson(cycle)).toThrow('a cycle, or something nested too deep');
});

it('copies deeply', () => {
  const value = { lines: [{ price: 1 }] };
  const copy = copyJson(value);
  copy.lines.push({ price: 2 });
  for (const line of copy.lines) line.price = 9;

  expect(value).toEqual({ lines: [{ price: 1 }] });
});
