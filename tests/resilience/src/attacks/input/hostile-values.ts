import * as fc from 'fast-check';

/** An array in an array, and so on. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const texts = [
  '',
  ' ',
  '\u0000',
  '\uD800',
  '\uFEFF',
  '\u2028\u2029',
  'é'.repeat(64),
  '👩‍👩‍👧‍👦'.repeat(20),
  'a'.repeat(5_000),
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '"; DROP TABLE executions; --',
  '../../etc/passwd',
  '%2e%2e%2f',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
  '\r\nset-cookie: a=b',
  'data: {"type":"finish"}\n\n',
  '1e999',
  '0x10',
  'NaN',
  'null',
  'true',
  '-0',
  '9'.repeat(400),
  '2026-02-31',
  '2026-11-23T25:61:00Z',
  '+275760-09-14T00:00:00Z',
];
const others: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [null],
  [[]],
  nested(40),
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  { constructor: { prototype: { isAdmin: true } } },
  { type: 'object', $ref: '#' },
  Array.from({ length: 300 }, () => 'x'),
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
];

export const hostileTexts: fc.Arbitrary<string> = fc.constantFrom(...texts);
/** Any JSON value; most are unusual. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileTexts },
  { weight: 3, arbitrary: fc.constantFrom(...others) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
/** Bodies that are not JSON, or that parsers differ on. */
export const malformedBodies: fc.Arbitrary<string> = fc.constantFrom(
  '{',
  '{"input":',
  '{"input":"a"}}',
  "{'input':1}",
  '[1,2,]',
  'undefined',
  'NaN',
  '1e999',
  '{"a":1e999}',
  '"\uD800"',
  '{"a":1,"a":2}',
  '\uFEFF{}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  `[${'0,'.repeat(110_000)}0]`,
);
