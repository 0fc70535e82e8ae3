import { describe, expect, it } from 'vitest';
import { mergePage } from '../../../packages/console/app/pages/executions/merge-page.ts';
import { initialValue } from '../../../packages/console/app/ui/schema-form/initial-value.ts';
import { type JsonSchema, resolveSchema } from '../../../packages/console/app/ui/schema-form/json-schema.ts';
import { bestBranch, UnfinishedText, validate } from '../../../packages/console/app/ui/schema-form/validate.ts';

const problemsOf = (value: unknown, schema: JsonSchema): object => validate(value, schema, schema);

describe('the forms of the console', () => {
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

  it('start with what the schema requires', () => {
    expect(initialValue(order, order)).toEqual({ lines: [{}] });
    const withDefaults: JsonSchema = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: 'a' }, size: { type: 'number', default: 3 }, other: { type: 'string' } },
    };
    expect(initialValue(withDefaults, withDefaults)).toEqual({ kind: 'a', size: 3 });
  });

  it('say at each field what is wrong', () => {
    expect(problemsOf({ customer: '', lines: [{ sku: 'sofa', count: 1.5 }] }, order)).toEqual({
      '/customer': 'Required',
      '/lines/0/sku': 'Choose one of the values',
      '/lines/0/count': 'Must be a whole number',
    });
    expect(problemsOf({ customer: 'Ada', lines: [] }, order)).toEqual({ '/lines': 'Needs at least 1 item' });
    expect(problemsOf({ customer: 'Ada', lines: [{ sku: 'lamp', count: 2 }] }, order)).toEqual({});
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
    const endless: JsonSchema = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
    expect(resolveSchema(endless, endless).field.kind).toBe('json');
    const required: JsonSchema = { $id: 'R', type: 'object', required: ['self'], properties: { self: { $ref: 'R' } } };
    expect(JSON.stringify(initialValue(required, required)).length).toBeLessThan(200);
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
});

describe('the live list of executions', () => {
  const rows = (...ids: readonly string[]): readonly { readonly id: string }[] => ids.map((id) => ({ id }));
  const known = { rows: rows('d', 'c', 'b', 'a'), hasMore: true };

  it('replaces what a page shows, and keeps what follows', () => {
    expect(mergePage(known, { rows: rows('e', 'd', 'c'), hasMore: true }, '')).toEqual({
      rows: rows('e', 'd', 'c', 'b', 'a'),
      hasMore: true,
    });
    expect(mergePage(known, { rows: rows('b', 'a'), hasMore: true }, 'c')).toEqual(known);
  });

  it('leaves out what no longer matches', () => {
    expect(mergePage(known, { rows: rows('a'), hasMore: true }, 'c').rows).toEqual(rows('d', 'c', 'a'));
    expect(mergePage(known, { rows: [], hasMore: false }, '')).toEqual({ rows: [], hasMore: false });
  });

  it('starts again if more is new than a page contains', () => {
    const page = { rows: rows('z', 'y'), hasMore: true };
    expect(mergePage(known, page, '')).toEqual(page);
  });
});
