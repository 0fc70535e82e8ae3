import { ConfigurationError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema } from './compile-schema.ts';
import type { Schema } from './schema.ts';

const Weather = Type.Object({ city: Type.String(), days: Type.Optional(Type.Integer({ minimum: 1 })) });

describe('a TypeBox schema', () => {
  it('accepts a valid value unchanged', () => {
    const value = { city: 'Oslo' };
    const result = compileSchema(Weather, 'a test').validate(value, 'input');
    expect(result).toEqual({ ok: true, value: { city: 'Oslo' } });
    expect(result).toHaveProperty('value', value);
  });

  it('describes in one sentence what does not fit, synchronously', () => {
    const { validate } = compileSchema(Weather, 'a test');
    expect(validate({ city: 1 }, 'input')).toEqual({ ok: false, message: 'input/city must be string' });
    expect(validate({}, 'input')).toEqual({ ok: false, message: "input must have required property 'city'" });
    expect(validate({ city: 'Oslo', days: 0 }, 'body/input')).toEqual({
      ok: false,
      message: 'body/input/days must be >= 1',
    });
    expect(validate({ city: 'Oslo', days: '1' }, 'input')).toEqual({
      ok: false,
      message: 'input/days must be integer',
    });
  });

  it('becomes plain JSON without TypeBox’s symbols', () => {
    const { jsonSchema } = compileSchema(Weather, 'a test');
    expect(Object.getOwnPropertySymbols(jsonSchema)).toEqual([]);
    expect(jsonSchema).toEqual({
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    });
  });

  it('may reference itself', () => {
    const Tree = Type.Recursive((This) => Type.Object({ children: Type.Array(This) }));
    const { validate } = compileSchema(Type.Object({ root: Tree }), 'a test');
    expect(validate({ root: { children: [{ children: [] }] } }, 'input')).toMatchObject({ ok: true });
    expect(validate({ root: { children: [{}] } }, 'input')).toMatchObject({
      message: "input/root/children/0 must have required property 'children'",
    });
  });

  it('enforces a closed intersection although it names no draft', () => {
    const Closed = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })], {
      unevaluatedProperties: false,
    });
    const { validate } = compileSchema(Closed, 'a test');
    expect(validate({ a: 'a', b: 'b', c: 'c' }, 'input')).toMatchObject({
      message: "input must NOT have unevaluated properties: 'c'",
    });
  });
});

it('accepts patterns that are valid only without the flag `u`', () => {
  for (const pattern of ['^\\d{3}\\-\\d{4}$', '^[\\d-\\-]+$', '^\\d+\\:?\\-\\d+$'])
    for (const schema of [
      Type.Object({ a: Type.String({ pattern }) }),
      { type: 'object', properties: { a: { type: 'string', pattern } } },
      { type: 'object', propertyNames: { enum: ['a'] }, patternProperties: { a: { pattern } } },
    ]) {
      const { validate } = compileSchema(schema, 'a test');
      expect(validate({ a: '555-1234' }, 'input')).toMatchObject({ ok: true });
      expect(validate({ a: 'none' }, 'input')).toMatchObject({ ok: false });
    }
});

it('keeps the flag `u` where a pattern accepts it', () => {
  const { validate } = compileSchema({ properties: { a: { pattern: '^.$' } } }, 'a test');
  expect(validate({ a: '😀' }, 'input')).toMatchObject({ ok: true });
});

describe('a JSON Schema', () => {
  it('is compiled for its draft', () => {
    const pair = { type: 'array', prefixItems: [{ type: 'string' }], items: false };
    for (const $schema of ['https://json-schema.org/draft/2020-12/schema', undefined]) {
      const { validate } = compileSchema({ $schema, ...pair }, 'a test');
      expect(validate(['a'], 'input')).toMatchObject({ ok: true });
      expect(validate(['a', 1], 'input')).toMatchObject({ ok: false });
    }
    const tuple = compileSchema({ type: 'array', items: [{ type: 'string' }], additionalItems: false }, 'a test');
    expect(tuple.validate(['a', 1], 'input')).toMatchObject({ ok: false });

    const draft2019 = { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } };
    expect(compileSchema(draft2019, 'a test').validate({ a: 1 }, 'input')).toMatchObject({ ok: false });
  });

  it('fills in defaults without touching the value it was given', () => {
    const value = { nested: {} };
    const properties = { unit: { type: 'string', default: 'c' }, nested: { properties: { on: { default: true } } } };
    const result = compileSchema({ type: 'object', properties, required: ['unit'] }, 'a test').validate(value, 'input');
    expect(result).toEqual({ ok: true, value: { unit: 'c', nested: { on: true } } });
    expect(value).toEqual({ nested: {} });
  });

  it('does not confuse a property named default with a default', () => {
    const value = {};
    const result = compileSchema({ type: 'object', properties: { default: { type: 'string' } } }, 'a test').validate(
      value,
      'input',
    );
    expect(result).toHaveProperty('value', value);
  });

  it('refuses a value that cannot be cloned if defaults have to be inserted', () => {
    const { validate } = compileSchema({ properties: { a: { default: 1 } } }, 'a test');
    expect(validate({ run: () => 1 }, 'input')).toEqual({ ok: false, message: 'input must be plain JSON' });
  });

  it('may share its $id with another', () => {
    const first = compileSchema({ $id: 'city', properties: { a: { $id: 'part', type: 'string' } } }, 'the first');
    const second = compileSchema({ $id: 'city', properties: { a: { $id: 'part', type: 'number' } } }, 'the second');
    expect(first.validate({ a: 'x' }, 'input')).toMatchObject({ ok: true });
    expect(second.validate({ a: 'x' }, 'input')).toMatchObject({ ok: false });
  });

  it('validates known formats and ignores other annotations', () => {
    const { validate } = compileSchema(
      { properties: { to: { format: 'email' }, x: { format: 'shoe-size' } }, id: 'draft-04', 'x-order': 1 },
      'a test',
    );
    expect(validate({ to: 'ada@example.org', x: '44' }, 'input')).toMatchObject({ ok: true });
    expect(validate({ to: 'ada' }, 'input')).toEqual({ ok: false, message: 'input/to must match format "email"' });
  });

  it('reads own properties only', () => {
    const { validate } = compileSchema(
      { required: ['constructor'], properties: { toString: { type: 'string' } } },
      'a test',
    );
    expect(validate({}, 'input')).toEqual({ ok: false, message: "input must have required property 'constructor'" });
    expect(validate({ constructor: 1 }, 'input')).toMatchObject({ ok: true });
  });

  it('is synchronous despite $async', () => {
    const { validate } = compileSchema({ $async: true, required: ['a'] }, 'a test');
    expect(validate({}, 'input')).toEqual({ ok: false, message: "input must have required property 'a'" });
  });
});

describe('a Standard Schema', () => {
  const Order = z.object({ lines: z.array(z.object({ sku: z.string() })), at: z.string().default('now') });

  it('validates by itself and transforms', () => {
    expect(compileSchema(Order, 'a test').validate({ lines: [] }, 'input')).toEqual({
      ok: true,
      value: { lines: [], at: 'now' },
    });
  });

  it('names the field of its first issue', () => {
    const result = compileSchema(Order, 'a test').validate({ lines: [{ sku: 1 }] }, 'input');
    expect(result).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^input\/lines\/0\/sku: Invalid input: expected string/),
    });
  });

  it('exposes the JSON Schema of its input', () => {
    const { jsonSchema } = compileSchema(Order, 'a test');
    expect(jsonSchema).toMatchObject({
      type: 'object',
      required: ['lines'],
      properties: { at: { type: 'string', default: 'now' } },
    });
    expect(JSON.parse(JSON.stringify(jsonSchema))).toEqual(jsonSchema);
  });

  it('may return a promise', async () => {
    const Taken = z.object({ name: z.string().refine(async (name) => name !== 'ada', 'is taken') });
    const { validate } = compileSchema(Taken, 'a test');
    expect(await validate({ name: 'ada' }, 'input')).toEqual({ ok: false, message: 'input/name: is taken' });
    expect(await validate({ name: 'bob' }, 'input')).toEqual({ ok: true, value: { name: 'bob' } });
  });

  it('may come from any vendor and be a function', () => {
    const Name = v.object({ name: v.string() });
    const jsonSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const standard = { ...Name['~standard'], jsonSchema: { input: () => jsonSchema, output: () => jsonSchema } };
    const schema: Schema = Object.assign(() => undefined, { '~standard': standard });

    expect(compileSchema(schema, 'a test').jsonSchema).toEqual(jsonSchema);
    expect(compileSchema(schema, 'a test').validate({ name: 1 }, 'input')).toMatchObject({
      message: 'input/name: Invalid type: Expected string but received 1',
    });
  });
});

describe('an unusable schema', () => {
  const unusable: [string, unknown, string][] = [
    ['null', null, 'got null'],
    ['an array', [], 'got an array'],
    ['a boolean', true, 'got boolean'],
    ['malformed', { type: 'object', properties: 5 }, 'schema/properties must be object'],
    ['of an unknown type', { type: 'text' }, 'schema/type must be'],
    ['with a dangling reference', { $ref: '#/$defs/none' }, 'cannot be compiled'],
    ['with a broken pattern', { pattern: '(' }, 'cannot be compiled'],
    ['just fields', { city: z.string() }, 'wrap the fields in an object schema'],
    [
      'cyclic',
      Object.assign(
        { type: 'object' },
        {
          get self(): unknown {
            return this;
          },
        },
      ),
      'is not plain JSON',
    ],
    ['of valibot without JSON Schema', v.object({}), 'toStandardJsonSchema()'],
    ['without an expression in JSON Schema', z.object({ at: z.date() }), 'has a part that JSON Schema cannot express'],
    ['a TypeBox type beyond JSON', Type.Object({ at: Type.Date() }), 'schema/properties/at/type must be'],
  ];

  it.each(unusable)('is refused by name: %s', (_, schema, why) => {
    const compile = () => compileSchema(schema as Schema, 'the input of tool "weather"');
    expect(compile).toThrow(ConfigurationError);
    expect(compile).toThrow('The schema of the input of tool "weather"');
    expect(compile).toThrow(why);
  });
});
