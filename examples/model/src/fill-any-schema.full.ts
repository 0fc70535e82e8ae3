import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepting, json } from './accepting-schema.ts';
import { fillSchema } from './fill-schema.ts';
import { fitsSchema } from './fits-schema.ts';

fc.configureGlobal({ seed: Number(process.env['HALYARD_SEED'] ?? 1) });

const today = new Date('2026-11-21T10:00:00Z');

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

// `ownProperties` checks only own properties, as tool schemas do. One instance is shared, because each one first compiles the meta-schema.
const ajv = new Ajv2020({ strict: false, ownProperties: true });
addFormats.default(ajv);

function errorsOf(schema: object, value: unknown): string | undefined {
  const fits = ajv.validate(schema, value);
  ajv.removeSchema(schema);
  return fits ? undefined : ajv.errorsText();
}

describe('a satisfiable schema', () => {
  it('is filled with a matching value for any message', () => {
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

  it('never accepts a value that a full validator rejects', () => {
    fc.assert(
      fc.property(
        json.chain((value) => accepting(value)),
        json,
        (schema, value) => {
          // A false negative is allowed, a false positive is not.
          const isAccepted = fitsSchema(value, schema, schema);
          expect(isAccepted ? errorsOf(schema, value) : undefined).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('references and unions', () => {
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
    [
      'more properties than required, where the schema is so deep that optional ones are left out',
      Array.from({ length: 15 }).reduce<object>(
        (inner) => ({ type: 'object', properties: { next: inner }, required: ['next'] }),
        {
          type: 'object',
          properties: { a: { type: 'string' }, b: { type: 'boolean' }, c: { type: 'integer' } },
          required: ['a'],
          additionalProperties: false,
          minProperties: 3,
        },
      ),
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
