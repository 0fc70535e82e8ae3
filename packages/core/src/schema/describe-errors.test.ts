import { Ajv, type AnySchema } from 'ajv';
import { expect, it } from 'vitest';
import { describeErrors } from './describe-errors.ts';

function explain(schema: AnySchema, value: unknown, allErrors = false): string {
  const validate = new Ajv({ strict: false, allErrors }).compile(schema);
  expect(validate(value)).toBe(false);
  return describeErrors(validate.errors, 'input');
}

it('names the field and its rule', () => {
  expect(explain({ properties: { city: { type: 'string' } } }, { city: 1 })).toBe('input/city must be string');
  expect(explain({ properties: { a: { properties: { n: { maximum: 1 } } } } }, { a: { n: 2 } })).toBe(
    'input/a/n must be <= 1',
  );
});

it('names a missing and an unexpected property', () => {
  expect(explain({ required: ['city'] }, {})).toBe("input must have required property 'city'");
  expect(explain({ properties: {}, additionalProperties: false }, { town: 1 })).toBe(
    "input must NOT have additional properties: 'town'",
  );
  expect(explain({ propertyNames: { maxLength: 2 } }, { long: 1 })).toBe("input must NOT have a property named 'long'");
  expect(explain({ properties: { a: false } }, { a: 1 })).toBe('input/a must NOT be present');
});

it('lists the allowed values of an enum and of a union of constants', () => {
  expect(explain({ enum: ['a', 'b'] }, 'c')).toBe('input must be equal to one of the allowed values: "a", "b"');
  expect(explain({ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'c')).toBe(
    'input must be equal to one of the allowed values: "a", "b"',
  );
  expect(explain({ const: 'a' }, 'c')).toBe('input must be equal to constant: "a"');
});

it('lists every type that a union accepts', () => {
  expect(explain({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1)).toBe('input must be string or null');
  expect(explain({ type: ['string', 'null'] }, 1)).toBe('input must be string or null');
});

it('describes the error of the branch that fits best, not that no branch fits', () => {
  const address = { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] };
  expect(explain({ properties: { to: { anyOf: [{ type: 'null' }, address] } } }, { to: { zip: 1 } })).toBe(
    'input/to/zip must be string',
  );

  const circle = {
    type: 'object',
    properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
    required: ['kind'],
  };
  const square = {
    type: 'object',
    properties: { kind: { const: 'square' }, side: { type: 'number', minimum: 1 } },
    required: ['kind'],
  };
  expect(explain({ oneOf: [circle, square] }, { kind: 'square', side: 0 })).toBe('input/side must be >= 1');
});

it('lists the alternatives when branches require different things of one field', () => {
  expect(explain({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {})).toBe(
    "input must have required property 'a' or must have required property 'b'",
  );
});

it('states that exactly one branch may match when several do', () => {
  expect(explain({ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3)).toBe('input must match exactly one schema in oneOf');
});

it('describes one error when ajv collected all of them', () => {
  expect(explain({ required: ['a', 'b'] }, {}, true)).toBe("input must have required property 'a'");
});

it('limits the length of the message for any value', () => {
  const message = explain({ additionalProperties: false }, { ['x'.repeat(10_000)]: 1 });
  expect(message.length).toBeLessThan(200);
});

it('returns a sentence without any error', () => {
  expect(describeErrors(null, 'input')).toBe('input is invalid');
});
