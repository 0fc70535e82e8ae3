import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillSchema } from './fill-schema.ts';
import { fitsSchema } from './fits-schema.ts';

const today = new Date('2026-11-21T10:00:00Z');

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const key = fc.oneof(
  fc.constantFrom('name', 'city', 'date', 'count', 'to', 'items', 'note', 'email', 'isOpen', 'price'),
  fc.string({ maxLength: 8 }),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: -4000, max: 4000 }).map((quarters) => quarters / 4),
      fc.stringMatching(/^[A-Za-z0-9 _-]{0,12}$/u),
      fc.constantFrom('ada@example.com', '2026-02-28', 'Oslo', 'express', 'https://example.com/a', '12:30:00Z'),
    ),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** Schemas of many keywords, each accepting the value it was made for. */
function accepting(value: Json): fc.Arbitrary<object> {
  return plainFor(value).chain((plain) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(plain) },
      { weight: 1, arbitrary: fc.constant({ allOf: [plain, { title: 'demo' }] }) },
      { weight: 1, arbitrary: others(value).map((other) => ({ anyOf: [other, plain] })) },
      // Only one of the two may fit.
      { weight: 1, arbitrary: others(value).map((other) => ({ oneOf: [{ allOf: [other, { not: plain }] }, plain] })) },
      {
        weight: 1,
        arbitrary: others(value).map((other) => ({
          allOf: [plain, { not: { const: 'never this' } }],
          ...conditional(other, true, {}),
        })),
      },
      {
        weight: 1,
        arbitrary: others(value).map((other) => conditional({ type: typeName(value) }, plain, other)),
      },
    ),
  );
}

/** Written so that nothing takes the schema for a promise. */
function conditional(condition: object, yes: unknown, no: unknown): object {
  const parts = [condition, yes, no];
  return Object.fromEntries(['if', 'then', 'else'].map((keyword, index) => [keyword, parts[index]]));
}

function others(value: Json): fc.Arbitrary<object> {
  const types = ['string', 'number', 'boolean', 'null', 'array', 'object'].filter((type) => type !== typeName(value));
  return fc.constantFrom(...types).map((type) => ({ type }));
}

function typeName(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function plainFor(value: Json): fc.Arbitrary<object> {
  const fixed = fc.constantFrom<object>({ const: value }, { enum: ['something else', value, 17] });
  if (value === null) return fc.constantFrom<object>({ type: 'null' }, { type: ['null', 'string'] }, { const: null });
  if (typeof value === 'boolean')
    return fc.oneof(fixed, fc.constantFrom<object>({ type: 'boolean' }, { type: ['boolean', 'null'] }));
  if (typeof value === 'number')
    return fc.oneof({ weight: 1, arbitrary: fixed }, { weight: 4, arbitrary: numberFor(value) });
  if (typeof value === 'string')
    return fc.oneof({ weight: 1, arbitrary: fixed }, { weight: 4, arbitrary: stringFor(value) });
  return Array.isArray(value) ? arrayFor(value) : objectFor(value);
}

function numberFor(value: number): fc.Arbitrary<object> {
  const type = Number.isInteger(value) ? fc.constantFrom('number', 'integer') : fc.constant('number');
  const step = [100, 10, 5, 1, 0.25].find((each) => Number.isInteger(value / each)) ?? 0.25;
  return fc
    .record({ below: fc.nat(20), above: fc.nat(20), isOpen: fc.boolean(), isStepped: fc.boolean() })
    .chain(({ below, above, isOpen, isStepped }) =>
      type.map((name) => ({
        type: name,
        ...(isOpen ? { exclusiveMinimum: value - below - 0.5 } : { minimum: value - below }),
        ...(above % 3 === 0 ? {} : isOpen ? { exclusiveMaximum: value + above } : { maximum: value + above }),
        ...(isStepped && { multipleOf: step }),
      })),
    );
}

function stringFor(value: string): fc.Arbitrary<object> {
  const format = value.includes('@')
    ? 'email'
    : /^\d{4}-/u.test(value)
      ? 'date'
      : value.startsWith('http')
        ? 'uri'
        : value.endsWith('Z') && value.length === 9
          ? 'time'
          : undefined;
  const shape = [...value]
    .map((char) =>
      /[a-z]/u.test(char)
        ? '[a-z]'
        : /[A-Z]/u.test(char)
          ? '[A-Z]'
          : /\d/u.test(char)
            ? '\\d'
            : /[ _]/u.test(char)
              ? '[ _]'
              : '[^a-z]',
    )
    .join('');
  return fc.oneof(
    fc.record({ less: fc.nat(20), more: fc.nat(20) }).map(({ less, more }) => ({
      type: 'string',
      minLength: Math.max(0, value.length - less),
      maxLength: value.length + more,
    })),
    fc.constantFrom<object>(
      { type: 'string', pattern: `^${shape}$` },
      { type: 'string', pattern: `^(?:${shape}|[A-Z]{2,3}-\\d+)$`, minLength: Math.min(1, value.length) },
      { type: 'string', ...(format !== undefined && { format }) },
      { type: ['string', 'null'], minLength: value.length },
    ),
  );
}

function arrayFor(value: Json[]): fc.Arbitrary<object> {
  const type = 'array';
  const isUnique = new Set(value.map((item) => JSON.stringify(item))).size === value.length;
  const [first] = value;
  if (first === undefined) return fc.constantFrom<object>({ type }, { type, maxItems: 2 }, { type, items: false });
  return fc.tuple(...value.map(accepting)).chain((parts) =>
    fc.oneof(
      fc.constant({ type, prefixItems: parts, items: false, minItems: value.length }),
      fc.constant({ type, prefixItems: parts, minItems: value.length }),
      fc.constant({
        type,
        minItems: value.length,
        ...(parts.length > 0 && { items: { anyOf: parts } }),
        uniqueItems: false,
      }),
      fc.constant({ type, contains: { const: first }, minItems: value.length }),
      fc.constant(
        isUnique
          ? {
              type,
              uniqueItems: true,
              minItems: value.length,
              maxItems: value.length + 1,
              items: { type: ['string', 'integer'] },
            }
          : { type },
      ),
    ),
  );
}

function objectFor(value: { [key: string]: Json }): fc.Arbitrary<object> {
  const entries = Object.entries(value);
  const [first, second] = entries.map(([name]) => name);
  return fc.tuple(...entries.map(([, item]) => accepting(item))).chain((parts) =>
    fc
      .record({
        isClosed: fc.boolean(),
        needed: fc.array(fc.boolean(), { minLength: entries.length, maxLength: entries.length }),
        extra: fc.nat(4),
      })
      .map(({ isClosed, needed, extra }) => ({
        type: 'object',
        properties: Object.fromEntries(entries.map(([name], index) => [name, parts[index] ?? true])),
        required: entries.flatMap(([name], index) => (needed[index] === true ? [name] : [])),
        ...(isClosed && { additionalProperties: false }),
        ...(extra === 1 && { minProperties: entries.length }),
        ...(extra === 2 && { maxProperties: entries.length }),
        ...(extra === 3 && first !== undefined && second !== undefined && { dependentRequired: { [first]: [second] } }),
        ...(extra === 4 && { propertyNames: { maxLength: 20 } }),
      })),
  );
}

const messages = fc.oneof(
  fc.constantFrom(
    '',
    'Weather in Paris and Rome, 3 days, express please',
    'Book a table for 4 people tomorrow at 7pm, email ada@example.com, note: window seat',
    'count=12 city: Oslo "quoted text" https://example.com/x #42 for $9.99',
    'no notes, without price, is open from 8:00 on May 5',
  ),
  fc.lorem({ maxCount: 12 }),
  fc.string({ maxLength: 60, unit: 'grapheme' }),
);

function errorsOf(schema: object, value: unknown): string | undefined {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ajv.validate(schema, value) ? undefined : ajv.errorsText();
}

describe('a schema that some value fits', () => {
  it('is filled with a value that fits it, whatever the message', () => {
    fc.assert(
      fc.property(
        json.chain((value) => accepting(value).map((schema) => ({ schema, value }))),
        messages,
        ({ schema, value }, message) => {
          fc.pre(errorsOf(schema, value) === undefined);
          const filled = fillSchema(schema, message, { today });
          expect(filled, `no value for ${JSON.stringify(schema)}`).toBeDefined();
          expect(errorsOf(schema, filled?.value)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is told from one that it does not fit as a full validator tells it', () => {
    fc.assert(
      fc.property(
        json.chain((value) => accepting(value)),
        json,
        (schema, value) => {
          // Saying no in doubt is allowed, saying yes is not.
          const isTold = fitsSchema(value, schema, schema);
          expect(isTold ? errorsOf(schema, value) : undefined).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('keywords that lead elsewhere', () => {
  it.each([
    [
      'a tree that ends in null',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: {
              value: { type: 'integer' },
              left: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
              right: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            },
            required: ['value', 'left', 'right'],
          },
        },
      },
    ],
    [
      'a reference by $id, as recursive TypeBox types have it',
      {
        $id: 'Node',
        type: 'object',
        properties: { id: { type: 'string' }, nodes: { type: 'array', items: { $ref: 'Node' } } },
        required: ['id', 'nodes'],
      },
    ],
    [
      'an escaped pointer',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a~1b%20c' } },
        required: ['a'],
        $defs: { 'a/b c': { const: 5 } },
      },
    ],
    [
      'a union that a constant tells apart',
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'email' }, address: { type: 'string', format: 'email' } },
            required: ['kind', 'address'],
          },
          {
            type: 'object',
            properties: { kind: { const: 'sms' }, phone: { type: 'string', pattern: '^\\+?[0-9 -]{5,}$' } },
            required: ['kind', 'phone'],
          },
        ],
      },
    ],
    [
      'properties by pattern',
      {
        type: 'object',
        patternProperties: { '^x-': { type: 'integer' } },
        additionalProperties: false,
        required: ['x-limit'],
        minProperties: 2,
      },
    ],
  ])('%s', (_, schema) => {
    const filled = fillSchema(schema, 'send an sms to +47 555 1234, x-limit=3', { today });
    expect(errorsOf(schema, filled?.value)).toBeUndefined();
  });

  it('takes the branch of a union that the message names', () => {
    const branch = (kind: string, field: string): object => ({
      type: 'object',
      properties: { kind: { const: kind }, [field]: { type: 'string' } },
      required: ['kind', field],
      additionalProperties: false,
    });
    const schema = { oneOf: [branch('email', 'address'), branch('sms', 'phone')] };
    expect(fillSchema(schema, 'sms to +47 555 1234', { today })?.value).toEqual({ kind: 'sms', phone: '+47 555 1234' });
  });
});
