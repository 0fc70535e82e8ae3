import { expect, it } from 'vitest';
import { fillSchema } from './fill-schema.ts';
import { fitsSchema, limitedVisits } from './fits-schema.ts';

const today = new Date('2026-11-25');
const conditions = Array.from({ length: 1_000 }, () => ({ if: { required: ['a'] }, else: { required: ['b'] } }));
/** Each level of a value is checked twice as often as the one around it. */
const doubling = { properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } };
let nested: object = { a: 1 };
for (let level = 0; level < 40; level += 1) nested = { a: nested };

// Without a limit, these take hours.
it.each([
  ['conditions that multiply', { type: 'object', allOf: conditions }, '{}'],
  ['references that multiply', { type: 'object', ...doubling, required: ['a'] }, JSON.stringify(nested)],
  [
    'many items to compare',
    { type: 'object', properties: { a: { uniqueItems: true } }, required: ['a'] },
    JSON.stringify({ a: Array.from({ length: 20_000 }, (_, index) => ({ index })) }),
  ],
])('ends for %s', (_, schema, message) => {
  const filled = fillSchema(schema, message, { today });
  expect(filled === undefined || fitsSchema(filled.value, schema, schema)).toBe(true);
});

it('does not accept a value whose check did not end', () => {
  const visits = limitedVisits();
  expect(fitsSchema(nested, { not: doubling }, doubling, visits)).toBe(false);
  expect(visits.left).toBeLessThanOrEqual(0);
});
