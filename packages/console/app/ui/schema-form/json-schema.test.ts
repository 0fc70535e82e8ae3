import { describe, expect, it } from 'vitest';
import { type JsonSchema, resolveSchema } from './json-schema.ts';

const fieldOf = (schema: JsonSchema): unknown => resolveSchema(schema, schema).field;

it.each<readonly [JsonSchema, unknown]>([
  [{}, { kind: 'json' }],
  [{ type: 'object' }, { kind: 'json' }],
  [{ type: 'string' }, { kind: 'text' }],
  [{ type: 'number' }, { kind: 'number' }],
  [{ type: 'integer' }, { kind: 'integer' }],
  [{ type: 'boolean' }, { kind: 'boolean' }],
  [{ type: 'null' }, { kind: 'null' }],
  [
    { type: 'string', enum: ['a', 'b'] },
    { kind: 'choice', values: ['a', 'b'] },
  ],
  [{ const: null }, { kind: 'constant', value: null }],
  [
    { const: 'a', enum: ['a'] },
    { kind: 'constant', value: 'a' },
  ],
  [{ anyOf: [{ const: 'a' }, { const: 2 }] }, { kind: 'choice', values: ['a', 2] }],
  [{ oneOf: [{ const: 'a' }, { type: 'number' }] }, { kind: 'union', branches: [{ const: 'a' }, { type: 'number' }] }],
  [{ type: 'array' }, { kind: 'array', items: {} }],
  [
    { type: 'array', items: { type: 'string' } },
    { kind: 'array', items: { type: 'string' } },
  ],
  [
    { type: 'array', items: [{ type: 'string' }] },
    { kind: 'tuple', items: [{ type: 'string' }] },
  ],
  [
    { type: 'array', prefixItems: [{}], items: {} },
    { kind: 'tuple', items: [{}] },
  ],
])('shows %j as %j', (schema, field) => {
  expect(fieldOf(schema)).toEqual(field);
});

it('lists the properties of an object, and whether it may have others', () => {
  const properties = { a: { type: 'string' }, b: {} };
  const fields = [
    { name: 'a', schema: { type: 'string' }, isRequired: false },
    { name: 'b', schema: {}, isRequired: true },
  ];
  expect(fieldOf({ properties, required: ['b'] })).toEqual({ kind: 'object', properties: fields, isOpen: true });
  expect(fieldOf({ properties, required: ['b'], additionalProperties: false })).toMatchObject({ isOpen: false });
});

it('offers several types as alternatives', () => {
  expect(fieldOf({ type: ['string', 'number'], minLength: 2 })).toEqual({
    kind: 'union',
    branches: [
      { type: 'string', title: 'string', minLength: 2 },
      { type: 'number', title: 'number', minLength: 2 },
    ],
  });
});

describe('null as a choice of its own', () => {
  const resolved = (schema: JsonSchema): unknown => resolveSchema(schema, schema);

  it('is taken out of types, values and alternatives', () => {
    expect(resolved({ type: ['string', 'null'], enum: ['a', null] })).toEqual({
      schema: { type: 'string', enum: ['a'] },
      isNullable: true,
      field: { kind: 'choice', values: ['a'] },
    });
    expect(resolved({ title: 'Size', anyOf: [{ type: 'number', title: 'x' }, { type: 'null' }] })).toEqual({
      schema: { title: 'Size', type: 'number' },
      isNullable: true,
      field: { kind: 'number' },
    });
    expect(resolved({ oneOf: [{ const: 1 }, { type: 'null' }, { const: 2 }] })).toMatchObject({
      isNullable: true,
      field: { kind: 'choice', values: [1, 2] },
    });
    expect(resolved({ type: ['string', 'number', 'null'] })).toMatchObject({
      isNullable: true,
      field: { kind: 'union' },
    });
    expect(resolved({ type: 'string', nullable: true })).toMatchObject({ isNullable: true, field: { kind: 'text' } });
  });

  it('stays where it is all that is possible', () => {
    expect(resolved({ type: 'null' })).toMatchObject({ isNullable: false, field: { kind: 'null' } });
    expect(resolved({ anyOf: [{ type: 'null' }] })).toMatchObject({ isNullable: false });
    expect(resolved({ type: 'string' })).toMatchObject({ isNullable: false });
  });
});

describe('references', () => {
  const root: JsonSchema = {
    $id: 'Root',
    type: 'object',
    properties: {},
    $defs: {
      name: { type: 'string', description: 'A name' },
      alias: { $ref: '#/$defs/name' },
      'a/b~c': { type: 'boolean' },
      inner: { items: { $id: 'Deep', type: 'integer' } },
    },
  };
  const fieldAt = ($ref: string): string => resolveSchema({ $ref }, root).field.kind;

  it.each([
    ['#', 'object'],
    ['Root', 'object'],
    ['#/$defs/name', 'text'],
    ['#/$defs/alias', 'text'],
    ['#/$defs/a~1b~0c', 'boolean'],
    ['Deep', 'integer'],
    ['#Deep', 'integer'],
    ['#/$defs/missing', 'json'],
    ['#/$defs/toString', 'json'],
    ['#/type/length', 'json'],
    ['Missing', 'json'],
  ])('are followed: %s is %s', ($ref, kind) => {
    expect(fieldAt($ref)).toBe(kind);
  });

  it('keep what stands beside them', () => {
    expect(resolveSchema({ $ref: '#/$defs/name', description: 'Yours' }, root).schema).toEqual({
      type: 'string',
      description: 'Yours',
    });
  });

  it('end when they go in a circle', () => {
    const endless: JsonSchema = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
    expect(resolveSchema(endless, endless).field.kind).toBe('json');
  });
});

it('joins the objects of an allOf', () => {
  const schema: JsonSchema = {
    allOf: [
      { type: 'object', title: 'Base', properties: { a: {}, b: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'number' }, c: {} }, required: ['c'] },
    ],
    title: 'Own',
  };
  expect(resolveSchema(schema, schema).schema).toEqual({
    type: 'object',
    title: 'Own',
    properties: { a: {}, b: { type: 'string' }, c: {} },
    required: ['a', 'c'],
  });
});
