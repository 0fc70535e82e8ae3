import { isHalyardError } from '@halyard/contracts';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { toSchemaText } from '../check-untrusted-schema.ts';
import { ClientSchemas } from '../client-schemas.ts';
import { compileUntrustedSchema } from '../compile-untrusted-schema.ts';

const names = fc.constantFrom('a', 'b', '__proto__', 'x/y');
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.constantFrom(null, true, 0, -1.5, 7, '', 'a', 'bb'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Valid and invalid schemas. */
const keywords = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(true, false, {}, { $ref: '#' }, { $ref: '#/$defs/a' }, { $ref: '#/none' }, { type: 'text' }),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', 'number', ['string', 'null']),
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', '(b+)+$', '(?=a)', '('), tie('schema'), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: tie('schema'),
        items: tie('schema'),
        anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        not: tie('schema'),
        enum: fc.uniqueArray(fc.constantFrom('a', 'bb', 7, null), { maxLength: 3 }),
        pattern: fc.constantFrom('^b', '(a+)+$', '(a)\\1'),
        minLength: fc.constantFrom(0, 2, -1),
        uniqueItems: fc.boolean(),
        default: fc.constantFrom(1, 'a'),
        $defs: fc.record({ a: tie('schema') }),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;

/**
 * Compares results in a thread with those without one, for random schemas and values.
 *
 * @returns the keys of the results.
 */
export async function sameResults(parameters: {
  readonly numRuns: number;
  readonly seed: number;
}): Promise<readonly string[]> {
  const schemas = new ClientSchemas({ timeLimitMs: 60_000 });
  const outcomes = new Set<string>();
  const property = fc.asyncProperty(keywords, values, async (schema, value) => {
    const root = typeof schema === 'object' ? { ...schema, type: 'object' } : schema;
    const expected = withoutThread(root, value);
    outcomes.add(Object.keys(expected as object).join());
    expect(await inThread(schemas, root, value)).toEqual(expected);
  });
  try {
    await fc.assert(property, parameters);
  } finally {
    await schemas.close();
  }
  return [...outcomes].toSorted();
}

function withoutThread(schema: unknown, value: unknown): unknown {
  try {
    return compileUntrustedSchema(toSchemaText(schema))(value, 'object');
  } catch (error) {
    return refusal(error);
  }
}

async function inThread(schemas: ClientSchemas, schema: unknown, value: unknown): Promise<unknown> {
  try {
    return await (await schemas.compile(schema, { caller: 'ada' })).validate(value, 'object');
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): unknown {
  return isHalyardError(error) ? { code: error.code, message: error.message } : { unexpected: error };
}
