import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { bestBranch, fitsBranch, UnfinishedText, validate } from './validate.ts';

const problemsOf = (value: unknown, schema: JsonSchema): object => validate(value, schema, schema);

describe('forms', () => {
  const order: JsonSchema = {
    type: 'object',
    required: ['customer', 'lines'],
    properties: {
      customer: { type: 'string', minLength: 1 },
      note: { type: 'string' },
      lines: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['sku', 'count'],
          properties: { sku: { enum: ['lamp', 'chair'] }, count: { type: 'integer', minimum: 1 } },
        },
      },
    },
  };

  it('name the problem at each field', () => {
    expect(problemsOf({ customer: '', lines: [{ sku: 'sofa', count: 1.5 }] }, order)).toEqual({
      '/customer': 'Required',
      '/lines/0/sku': 'Choose one of the values',
      '/lines/0/count': 'Must be a whole number',
    });
    expect(problemsOf({ customer: 'Ada', lines: [] }, order)).toEqual({ '/lines': 'Needs at least 1 item' });
    expect(problemsOf({ customer: 'Ada', lines: [{ sku: 'lamp', count: 2 }] }, order)).toEqual({});
  });

  it('leave out optional fields, and do not take inherited ones for values', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['toString'],
      properties: { toString: {}, note: { type: 'string' } },
    };
    expect(problemsOf({}, schema)).toEqual({});
    const named: JsonSchema = { type: 'object', required: ['toString'], properties: { toString: { type: 'string' } } };
    expect(problemsOf({}, named)).toEqual({ '/toString': 'Required' });
  });

  it('check each place of a tuple, and accept more', () => {
    const pair: JsonSchema = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] };
    expect(problemsOf(['a', 'b', 'c'], pair)).toEqual({ '/1': 'Must be a number' });
  });

  it('say nothing about the inside of a value of the wrong type', () => {
    expect(problemsOf({ customer: 'Ada', lines: 'none' }, order)).toEqual({ '/lines': 'Must be a list' });
  });

  it.each<readonly [unknown, JsonSchema, string | undefined]>([
    ['x', { type: 'string', format: 'email' }, 'Must be an email address'],
    ['ada@example.com', { type: 'string', format: 'email' }, undefined],
    ['abc', { type: 'string', pattern: '^a+$' }, 'Must match ^a+$'],
    ['abc', { type: 'string', pattern: '[' }, undefined],
    [5, { type: 'number', maximum: 4 }, 'Must be at most 4'],
    [0.3, { type: 'number', multipleOf: 0.1 }, undefined],
    [null, { type: ['string', 'null'] }, undefined],
    [null, { anyOf: [{ type: 'string' }, { type: 'null' }] }, undefined],
    [null, { type: 'string' }, 'Must be a text'],
    [{ b: 1 }, { type: 'object', properties: {}, additionalProperties: false }, 'Has no field “b”'],
    [[1, 1], { type: 'array', uniqueItems: true }, 'Has an item twice'],
    [new UnfinishedText('1.', 'Finish the number'), { type: 'number' }, 'Finish the number'],
    [undefined, {}, undefined],
    ['', { type: 'string', minLength: 1 }, 'Required'],
    ['a', { type: 'string', minLength: 2 }, 'Needs at least 2 characters'],
    ['ab', { type: 'string', minLength: 2, maxLength: 2 }, undefined],
    ['abc', { type: 'string', maxLength: 2 }, 'Has at most 2 characters'],
    ['x', { type: 'string', format: 'uuid' }, 'Must be a UUID'],
    ['123e4567-e89b-12d3-a456-426614174000', { type: 'string', format: 'uuid' }, undefined],
    ['2027-1-1', { type: 'string', format: 'date' }, 'Must be a date'],
    ['2027-01-01', { type: 'string', format: 'date-time' }, 'Must be a date with a time'],
    ['2027-01-01T10:00:00Z', { type: 'string', format: 'date-time' }, undefined],
    ['example', { type: 'string', format: 'uri' }, 'Must be an address such as https://…'],
    ['https://example.com', { type: 'string', format: 'url' }, undefined],
    ['x', { type: 'string', format: 'toString' }, undefined],
    [4, { type: 'number', minimum: 4, maximum: 4 }, undefined],
    [3, { type: 'number', minimum: 4 }, 'Must be at least 4'],
    [4, { type: 'number', exclusiveMinimum: 4 }, 'Must be more than 4'],
    [4, { type: 'number', exclusiveMaximum: 4 }, 'Must be less than 4'],
    [0.35, { type: 'number', multipleOf: 0.1 }, 'Must be a multiple of 0.1'],
    [1.5, { type: 'number' }, undefined],
    [1.5, { type: 'integer' }, 'Must be a whole number'],
    ['1', { type: 'integer' }, 'Must be a number'],
    ['true', { type: 'boolean' }, 'Choose yes or no'],
    [0, { type: 'null' }, 'Must be null'],
    [[], { type: 'object', properties: {} }, 'Must be an object'],
    [[], { type: 'object' }, 'Must be an object'],
    [{ b: 1 }, { type: 'object', properties: {} }, undefined],
    [{}, { type: 'array' }, 'Must be a list'],
    [[1, 2], { type: 'array', maxItems: 1 }, 'Has at most 1 item'],
    [{ a: 1 }, { const: { a: 1 } }, undefined],
    [{ a: 2 }, { const: { a: 1 } }, 'Must be {"a":1}'],
    [null, { nullable: true, type: 'string' }, undefined],
    [undefined, { type: 'string' }, 'Required'],
    [undefined, { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'Required'],
  ])('check %j by %j', (value, schema, problem) => {
    expect(problemsOf(value, schema)).toEqual(problem === undefined ? {} : { '': problem });
  });

  it('follow references, also of recursive schemas', () => {
    const tree: JsonSchema = {
      $id: 'Tree',
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: 'Tree' } } },
    };
    expect(problemsOf({ name: 'a', children: [{ name: 'b', children: [{}] }] }, tree)).toEqual({
      '/children/0/children/0/name': 'Required',
    });
  });

  it('find the alternative that a value is of', () => {
    const branches: readonly JsonSchema[] = [
      { type: 'object', required: ['type'], properties: { type: { const: 'card' }, number: { type: 'string' } } },
      { type: 'object', required: ['type', 'iban'], properties: { type: { const: 'bank' }, iban: { type: 'string' } } },
      { type: 'string' },
    ];
    expect(bestBranch({ type: 'bank' }, branches, {})).toBe(1);
    expect(bestBranch({ type: 'card' }, branches, {})).toBe(0);
    expect(bestBranch('x', branches, {})).toBe(2);
    expect(problemsOf({ type: 'bank' }, { anyOf: branches })).toEqual({ '/iban': 'Required' });
  });

  it('start with the first alternative if a value is of none', () => {
    expect(bestBranch(true, [{ type: 'string' }, { type: 'number' }], {})).toBe(0);
    expect(bestBranch(1, [], {})).toBe(0);
  });

  it('prefer the alternative that knows the fields of a value', () => {
    const branches: readonly JsonSchema[] = [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: { type: 'string' } } },
    ];
    expect(bestBranch({ b: 'x' }, branches, {})).toBe(1);
    expect(bestBranch(null, [{ type: 'string' }, { type: ['number', 'null'] }], {})).toBe(1);
  });

  it('keep an alternative while its fields are missing, and give it up for another constant or type', () => {
    const card: JsonSchema = {
      type: 'object',
      required: ['type', 'number'],
      properties: { type: { const: 'card' }, number: { type: 'string' } },
    };
    expect(fitsBranch(undefined, card, {})).toBe(true);
    expect(fitsBranch({ type: 'card' }, card, {})).toBe(true);
    expect(fitsBranch({}, card, {})).toBe(true);
    expect(fitsBranch({ type: 'bank', number: '1' }, card, {})).toBe(false);
    expect(fitsBranch('card', card, {})).toBe(false);
  });
});
