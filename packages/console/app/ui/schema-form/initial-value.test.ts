import { expect, it } from 'vitest';
import { initialValue } from './initial-value.ts';
import type { JsonSchema } from './json-schema.ts';

const startOf = (schema: JsonSchema): unknown => initialValue(schema, schema);

it('starts with the required fields of the schema', () => {
  const line: JsonSchema = { type: 'object', required: ['sku'], properties: { sku: { enum: ['lamp', 'chair'] } } };
  const order: JsonSchema = {
    type: 'object',
    required: ['customer', 'lines'],
    properties: {
      customer: { type: 'string' },
      note: { type: 'string' },
      lines: { type: 'array', minItems: 1, items: line },
    },
  };
  expect(startOf(order)).toEqual({ lines: [{}] });
});

it('starts with defaults, also of fields that are not required, and with constants', () => {
  const schema: JsonSchema = {
    type: 'object',
    required: ['kind', 'nothing'],
    properties: {
      kind: { const: 'a' },
      nothing: { type: 'null' },
      size: { type: 'number', default: 3 },
      color: { const: 'red' },
      other: { type: 'string' },
    },
  };
  expect(startOf(schema)).toEqual({ kind: 'a', nothing: null, size: 3 });
});

it.each<readonly [JsonSchema, unknown]>([
  [{}, undefined],
  [{ type: 'string' }, undefined],
  [{ type: 'boolean' }, undefined],
  [{ enum: ['a'] }, undefined],
  [{ type: 'boolean', default: false }, false],
  [{ type: 'null' }, null],
  [{ type: ['object', 'null'], properties: {} }, undefined],
  [{ type: 'object', properties: {}, default: null }, null],
  [{ type: 'array' }, []],
  [{ type: 'array', prefixItems: [{ const: 1 }, { type: 'string' }] }, [1, undefined]],
  [{ anyOf: [{ type: 'object', properties: {} }, { type: 'string' }] }, {}],
  [{ anyOf: [] }, undefined],
])('starts for %j with %j', (schema, value) => {
  expect(startOf(schema)).toEqual(value);
});

it('does not share a default between two forms', () => {
  const schema: JsonSchema = { default: { tags: ['a'] } };
  expect(startOf(schema)).toEqual({ tags: ['a'] });
  expect(startOf(schema)).not.toBe(schema.default);
});

it('starts with at most 20 items, and with few levels of a recursive schema', () => {
  expect(startOf({ type: 'array', minItems: 1_000, items: { const: 1 } })).toHaveLength(20);
  const required: JsonSchema = { $id: 'R', type: 'object', required: ['self'], properties: { self: { $ref: 'R' } } };
  expect(JSON.stringify(startOf(required)).length).toBeLessThan(200);
});
