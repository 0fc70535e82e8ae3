import type { JsonSchema } from '@halyard/core';
import { compileSchema } from '@halyard/core/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { seedProperties } from '../../testing/seeded-properties.ts';
import { appSchema } from './app-schema.ts';
import { AppSchemas } from './app-schemas.ts';
import { ComponentNames } from './component-names.ts';
import { escapePointer, schemaKeywords } from './schema-keywords.ts';

seedProperties();

/** Names that are keywords elsewhere, or that objects, pointers and URLs treat in a special way. */
const names = [
  'a',
  'if',
  'const',
  'examples',
  '$ref',
  '$id',
  '$schema',
  '$defs',
  'nullable',
  '__proto__',
  'x/y~z',
  '%25',
  '',
];
const definitionNames = ['A', '$ref', 'x/y~z', '__proto__'];

const name = fc.constantFrom(...names);
const fewNames = fc.uniqueArray(name, { maxLength: 2 });

/** An object in which `__proto__` is an ordinary key. */
function record<T>(item: fc.Arbitrary<T>, key = name): fc.Arbitrary<Readonly<Record<string, T>>> {
  return fc.array(fc.tuple(key, item), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(null, true, 0, 2.5, '', 'a'),
    fc.array(tie('json'), { maxLength: 3 }),
    record(tie('json')),
    fc.constant({ $ref: '#/nowhere' }),
  ),
}));

/**
 * Ajv does not notice that a required property without a name is missing, and the conversion of
 * such a value requires it.
 */
const constant = json.filter((value) => !JSON.stringify(value).includes('"":'));

const type = fc.constantFrom('object', 'array', 'string', 'integer', 'null');
type Part = JsonSchema | boolean;

/**
 * Schemas with references to definitions, which are only below properties and items, so that
 * validation ends.
 */
function schemas(definitions: '$defs' | 'definitions'): fc.Arbitrary<JsonSchema> {
  const pointers = ['#', ...definitionNames.map((key) => `#/${definitions}/${encodeURIComponent(escapePointer(key))}`)];
  const { keywords } = fc.letrec<{ part: Part; below: Part; keywords: JsonSchema }>((tie) => {
    const list = fc.array(tie('part'), { minLength: 1, maxLength: 2 });
    const listBelow = fc.array(tie('below'), { minLength: 1, maxLength: 2 });
    const common: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      properties: record(tie('below')),
      patternProperties: record(tie('below'), fc.constantFrom('^\\$', 'a', 'if')),
      additionalProperties: tie('below'),
      propertyNames: fc.constantFrom({ maxLength: 3 }, { enum: names.slice(0, 9) }),
      required: fewNames,
      contains: tie('below'),
      const: constant,
      enum: fc.uniqueArray(constant, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
      not: tie('part'),
      allOf: list,
      anyOf: list,
      oneOf: list,
    };
    const older = { items: fc.oneof(tie('below'), listBelow), dependencies: record(fc.oneof(tie('part'), fewNames)) };
    const newer = {
      items: tie('below'),
      prefixItems: listBelow,
      dependentSchemas: record(tie('part')),
      dependentRequired: record(fewNames),
      unevaluatedProperties: fc.boolean(),
    };
    // Keywords that depend on each other come together.
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    const together = fc.record({ if: tie('part'), then: tie('part'), else: tie('part') });
    const tuple = fc.record({ items: listBelow, additionalItems: tie('below') });
    const single = Object.entries({ ...common, ...(definitions === '$defs' ? newer : older) }).map(([keyword, value]) =>
      value.map((one): JsonSchema => ({ [keyword]: one })),
    );
    const groups: fc.Arbitrary<JsonSchema>[] = definitions === '$defs' ? [together] : [together, tuple];
    return {
      keywords: fc
        .array(fc.oneof({ maxDepth: 4 }, ...single, ...groups), { maxLength: 3 })
        .map((parts) => Object.assign({}, ...parts) as JsonSchema),
      part: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), tie('keywords')),
      below: fc.oneof({ maxDepth: 3 }, fc.constantFrom(...pointers.map(($ref) => ({ $ref }))), tie('part')),
    };
  });
  return fc.tuple(keywords, fc.tuple(...definitionNames.map(() => keywords))).map(([root, parts]) => ({
    minProperties: 0,
    ...root,
    [definitions]: Object.fromEntries(definitionNames.map((key, index) => [key, parts[index]])),
  }));
}

const ajvFails = 'ajv fails';

/**
 * Ajv itself fails for some schemas: where it collects the evaluated properties of branches, and
 * where the items after a tuple are below `if` without conditions, its code uses a variable it has
 * not declared.
 */
function verdict(validate: () => { readonly ok: boolean }): boolean | typeof ajvFails {
  try {
    return validate().ok;
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) return ajvFails;
    throw error;
  }
}

it.each(['definitions', '$defs'] as const)(
  'accepts the same values after the conversion of any schema with %s',
  async (definitions) => {
    await fc.assert(
      fc.asyncProperty(
        schemas(definitions),
        fc.array(json, { minLength: 10, maxLength: 20 }),
        async (schema, values) => {
          const before = compileSchema(schema, 'the test');
          const options = { name: 'app', names: new ComponentNames(), insertsDefaults: true };
          const { components, lost } = appSchema(before.jsonSchema, options);
          expect(lost).toEqual([]);
          const document = JSON.parse(JSON.stringify({ components: { schemas: Object.fromEntries(components) } }));
          const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true, validateSchema: false });
          const after = ajv.addSchema(document, 'doc').compile({ $ref: 'doc#/components/schemas/app' });
          for (const value of values) {
            const validity = verdict(() => before.validate(value, 'value') as { readonly ok: boolean });
            if (validity !== ajvFails) expect(verdict(() => ({ ok: after(value) }))).toBeOneOf([validity, ajvFails]);
          }
        },
      ),
      { numRuns: 100 },
    );
  },
  60_000,
);

/** Any JSON, with keywords of JSON Schema in all places. */
const { junk } = fc.letrec((tie) => ({
  junk: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom(null, true, 5, '', '#', '#/$defs/a', '#a', 'a', 'urn:x', '%', 'string'),
    fc.array(tie('junk'), { maxLength: 3 }),
    record(
      tie('junk'),
      fc.constantFrom(
        'a',
        ...schemaKeywords.keys(),
        '$ref',
        '$dynamicRef',
        '$recursiveRef',
        '$id',
        '$anchor',
        '$dynamicAnchor',
        '$recursiveAnchor',
        '$schema',
        'type',
        'required',
        'nullable',
        'const',
        'enum',
      ),
    ),
  ),
}));

const metaSchema = new Ajv2020({ validateFormats: false });

it('describes any JSON as valid components whose references exist', () => {
  fc.assert(
    fc.property(record(junk, fc.constantFrom('$ref', '$id', '$defs', 'properties', 'items', 'allOf')), (schema) => {
      const described = new AppSchemas(new ComponentNames(), () => {});
      const { $ref } = described.add(schema, { name: 'app', part: 'the test', insertsDefaults: true });
      const document = JSON.parse(
        JSON.stringify({ components: { schemas: Object.fromEntries(described.components) } }),
      );
      const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, validateSchema: false });
      for (const component of described.components.values()) expect(metaSchema.validateSchema(component)).toBe(true);
      ajv.addSchema(document, 'doc');
      expect(() => ajv.compile({ $ref: `doc${$ref}` })).not.toThrow();
    }),
    { numRuns: 200 },
  );
}, 60_000);
