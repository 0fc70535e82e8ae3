import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillSchema } from './fill-schema.ts';

fc.configureGlobal({ seed: Number(process.env['HALYARD_SEED'] ?? 1) });

const today = new Date('2026-11-21T10:00:00Z');

const messages = fc.oneof(
  fc.constantFrom(
    '',
    'Send an email to bob@example.com about the launch saying hello there',
    'Book a table for 4 people tomorrow at 7pm in New York, name: Ada',
    'order 2 apples, 3 pears and one melon for $12.50 to 5 Main Street',
    'city=Oslo units=metric days: 3 and id #1234',
    '{"name": 1} {',
    '((((((((((',
  ),
  fc.string({ maxLength: 80, unit: 'grapheme' }),
);

const names = fc.constantFrom(
  'name',
  'city',
  'date',
  'count',
  'items',
  'price',
  'unit',
  'to',
  'note',
  'size',
  'enabled',
);

function bounded(low: string, high: string, number: fc.Arbitrary<number>): fc.Arbitrary<Record<string, number>> {
  return fc
    .record({ start: number, span: fc.nat(40), isLow: fc.boolean(), isHigh: fc.boolean() })
    .map(({ start, span, isLow, isHigh }) => ({
      ...(isLow && { [low]: start }),
      ...(isHigh && { [high]: start + span }),
    }));
}

const strings = fc.oneof(
  bounded('minLength', 'maxLength', fc.nat(30)).map((limits) => ({ type: 'string', ...limits })),
  fc
    .constantFrom('email', 'uri', 'uuid', 'date', 'date-time', 'time', 'ipv4', 'ipv6', 'hostname', 'duration')
    .map((format) => ({ type: 'string', format })),
  fc
    .constantFrom(
      '^[a-z]{2,5}$',
      '^[A-Z]{3}-\\d{4}$',
      '^\\+?[0-9 ]{6,12}$',
      '^(yes|no)$',
      '[aeiou]',
      '^\\S+@\\S+$',
      '^#[0-9a-f]{6}$',
    )
    .map((pattern) => ({ type: 'string', pattern })),
);

const numbers = fc.oneof(
  bounded('minimum', 'maximum', fc.integer({ min: -50, max: 50 })).chain((limits) =>
    fc.constantFrom('number', 'integer').map((type) => ({ type, ...limits })),
  ),
  bounded('exclusiveMinimum', 'maximum', fc.integer({ min: -50, max: 50 })).map((limits) => ({
    type: 'number',
    ...limits,
    ...('maximum' in limits && { maximum: limits.maximum + 1 }),
  })),
  fc.constantFrom(1, 5, 0.5, 0.25, 10).map((multipleOf) => ({ type: 'number', minimum: -20, multipleOf })),
);

const options = fc.oneof(
  fc
    .uniqueArray(
      fc.oneof(fc.constantFrom('small', 'large', 'metric', 'high', 'Oslo'), fc.integer(), fc.constant(null)),
      { minLength: 1 },
    )
    .map((values) => ({ enum: values })),
  fc.constantFrom('fixed', 7, null, true, { a: [1] }).map((value) => ({ const: value })),
);

const leaves = fc.oneof(
  strings,
  numbers,
  fc.constant({ type: 'boolean' }),
  options,
  fc.constant({ $ref: '#/$defs/city' }),
);

/** Satisfiable schemas with the keywords that tools use. */
const { schema: schemas } = fc.letrec<{ schema: object; object: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaves,
    tie('object'),
    fc
      .record({ items: leaves, minItems: fc.nat(3), extra: fc.nat(3) })
      .map(({ items, minItems, extra }) => ({ type: 'array', items, minItems, maxItems: minItems + extra })),
    fc.record({ items: strings, uniqueItems: fc.boolean() }).map((rest) => ({ type: 'array', minItems: 1, ...rest })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.tuple(strings, numbers).map((oneOf) => ({ oneOf })),
  ),
  object: fc
    .record({
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 5 }),
      mandatory: fc.array(fc.nat(4), { maxLength: 5 }),
      isClosed: fc.boolean(),
      joined: fc.option(fc.dictionary(fc.constantFrom('more', 'other'), leaves, { maxKeys: 2 })),
    })
    .map(({ properties, mandatory, isClosed, joined }) => {
      const required = Object.keys(properties).filter((_, index) => mandatory.includes(index));
      const base = { type: 'object', properties, required };
      if (joined === null) return { ...base, ...(isClosed && { additionalProperties: false }) };
      return { allOf: [base, { type: 'object', properties: joined, required: Object.keys(joined) }] };
    }),
}));

const roots = schemas.chain((inner) =>
  fc.dictionary(names, schemas, { maxKeys: 3 }).map((properties) => ({
    type: 'object',
    properties: { inner, ...properties },
    required: ['inner'],
    $defs: { city: { type: 'string', minLength: 1 } },
  })),
);

function validator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  return ajv;
}

describe('any satisfiable schema', () => {
  it('is filled with a matching value in nearly all cases', () => {
    let runs = 0;
    let empty = 0;
    // One instance is shared, because each one first compiles the meta-schema.
    const ajv = validator();
    fc.assert(
      fc.property(roots, messages, (schema, message) => {
        const filled = fillSchema(schema, message, { today });
        runs += 1;
        if (filled === undefined) {
          empty += 1;
          return;
        }
        const fits = ajv.validate(schema, filled.value);
        ajv.removeSchema(schema);
        if (!fits) throw new Error(`${JSON.stringify(filled.value)}: ${ajv.errorsText()}`);
      }),
      { numRuns: 500 },
    );
    expect(empty / runs).toBeLessThan(0.02);
  });
});

describe('difficult or invalid schemas', () => {
  it.each([
    ['nothing fits', { type: 'object', properties: { a: false }, required: ['a'] }],
    ['bounds that exclude each other', { type: 'number', minimum: 3, maximum: 2 }],
    ['a reference to nowhere', { $ref: '#/$defs/none' }],
    ['a reference to itself', { $ref: '#' }],
    [
      'a required property that leads back',
      { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] },
    ],
    ['no schema at all', 'text'],
  ])('gives no value where there is none: %s', (_, schema) => {
    expect(fillSchema(schema, 'hello Ada', { today })).toBeUndefined();
  });

  it('ends for a recursive optional property', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, next: { $ref: '#' } },
      required: ['name'],
    };
    const filled = fillSchema(schema, 'my name is Ada', { today });
    expect(validator().validate(schema, filled?.value)).toBe(true);
  });

  it.each(['^(a+)+$', '(a|a)*b', '^(\\w+\\s?)*$'])('does not block on the pattern %s', (pattern) => {
    // Backtracking would take longer than any test.
    expect(() => fillSchema({ type: 'string', pattern }, `${'a'.repeat(50)}!`, { today })).not.toThrow();
  });

  it('uses JSON in the message unchanged', () => {
    const schema = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] };
    expect(fillSchema(schema, 'use {"size": 12} please', { today })?.value).toEqual({ size: 12 });
  });
});
