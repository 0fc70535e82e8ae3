import * as fc from 'fast-check';

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const key = fc.oneof(
  fc.constantFrom('name', 'city', 'date', 'count', 'to', 'items', 'note', 'email', 'isOpen', 'price'),
  fc.string({ maxLength: 8 }),
);
/** The values that schemas are generated for. */
export const { json } = fc.letrec<{ json: Json }>((tie) => ({
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

/** Schemas with many keywords that accept the given value. */
export function accepting(value: Json): fc.Arbitrary<object> {
  return plainFor(value).chain((plain) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(plain) },
      { weight: 1, arbitrary: fc.constant({ allOf: [plain, { title: 'demo' }] }) },
      { weight: 1, arbitrary: others(value).map((other) => ({ anyOf: [other, plain] })) },
      // Exactly one of the two matches.
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

/** Avoids a literal `then` property, which would make the object look like a promise. */
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
