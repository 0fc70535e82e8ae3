import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../schema/compile-schema.ts';
import { arrayOutput } from './array-output.ts';
import { ElementScanner } from './element-scanner.ts';

/** The texts of the elements, read in pieces of each size. */
function elementsIn(text: string): readonly string[] {
  const bySize = [1, 2, 5, text.length].map((size) => {
    const scanner = new ElementScanner();
    const found: string[] = [];
    for (let at = 0; at < text.length; at += size) found.push(...scanner.add(text.slice(at, at + size)));
    return found.map((element) => element.trim());
  });
  expect(new Set(bySize.map((found) => JSON.stringify(found))).size).toBe(1);
  return bySize[0] ?? [];
}

it.each<readonly [string, readonly string[]]>([
  ['{"elements":[1,,2]}', ['1', '2']],
  ['{"elements":[ ]}', []],
  ['{"a":"b","elements":[1]}', ['1']],
  ['{"elements":{"x":[1]},"y":[2]}', []],
  ['{"x":["elements",[1]]}', []],
  ['{"x":"elements","y":[1]}', []],
  ['{"elements":[1],"more":[2]}', ['1']],
  ['He said "x: {"elements":[1]}', ['1']],
  [String.raw`{"elements":["a\"]",{"b":"]"}]}`, [String.raw`"a\"]"`, '{"b":"]"}']],
  ['{"in":{"elements":1},"z":[2]}', []],
])('finds the elements of %s', (text, elements) => {
  expect(elementsIn(text)).toEqual(elements);
});

describe('a list', () => {
  const element = compileSchema(Type.Number(), 'an element');
  const validate = (value: unknown, limits = {}) => arrayOutput(element, limits).schema.validate(value, 'the answer');

  it.each([7, null, 'elements', [], { elements: 1 }, { element: [] }])('is refused as %j', async (value) => {
    expect(await validate(value)).toEqual({
      ok: false,
      message: 'the answer must be an object with the list "elements"',
    });
  });

  it('has as many elements as its limits say', async () => {
    expect(await validate({ elements: [1, 2] }, { minItems: 2, maxItems: 2 })).toEqual({ ok: true, value: [1, 2] });
    expect(await validate({ elements: [] }, { minItems: 1 })).toMatchObject({
      message: 'the answer/elements must have at least 1 element',
    });
    expect(await validate({ elements: [1, 2, 3] }, { maxItems: 2 })).toMatchObject({
      message: 'the answer/elements must have at most 2 elements',
    });
    expect(await validate({ elements: [1, 'b'] })).toMatchObject({
      ok: false,
      message: expect.stringContaining('the answer/elements/1'),
    });
  });

  it('has limits that fit each other', () => {
    for (const limits of [{ minItems: -1 }, { maxItems: 1.5 }, { minItems: 3, maxItems: 2 }])
      expect(() => arrayOutput(element, limits)).toThrow(/`m(?:in|ax)Items` must/);
    expect(() => arrayOutput(element, { minItems: 0, maxItems: 0 })).not.toThrow();
  });

  it('describes itself with the definitions of its elements at the root', () => {
    const $defs = { a: { type: 'number' } };
    const definitions = { b: { type: 'string' } };
    const schema = compileSchema({ type: 'object', $defs, definitions, properties: {} }, 'an element');
    expect(arrayOutput(schema, { minItems: 1, maxItems: 2 }).schema.jsonSchema).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $defs,
      definitions,
      type: 'object',
      properties: {
        elements: { type: 'array', items: { type: 'object', properties: {} }, minItems: 1, maxItems: 2 },
      },
      required: ['elements'],
      additionalProperties: false,
    });
    const plain = arrayOutput(element, {}).schema.jsonSchema;
    expect(Object.keys(plain)).toEqual(['$schema', 'type', 'properties', 'required', 'additionalProperties']);
    expect(plain['properties']).toStrictEqual({ elements: { type: 'array', items: { type: 'number' } } });
  });
});
