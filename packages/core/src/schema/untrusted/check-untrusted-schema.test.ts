import { InvalidInputError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../schema.ts';
import { parseUntrustedSchema, toSchemaText } from './check-untrusted-schema.ts';

function accept(schema: unknown): JsonSchema {
  return parseUntrustedSchema(toSchemaText(schema));
}

function refusalOf(schema: unknown): string {
  try {
    accept(schema);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    return error instanceof Error ? error.message : '';
  }
  return expect.unreachable('was accepted');
}

function object(keywords: object): Record<string, unknown> {
  return { type: 'object', ...keywords };
}

describe('an invalid schema', () => {
  it.each([[undefined], [null], [[]], [true], [false], ['object'], [5]])('is refused: %j', (schema) => {
    expect(refusalOf(schema)).toBe('body/schema must be object');
  });

  it('may be of another type than object', () => {
    for (const type of ['array', ['object', 'null'], undefined]) {
      expect(refusalOf({ type })).toBe('body/schema must have "type": "object"');
    }
  });

  it('may be no plain JSON', () => {
    const cyclic: Record<string, unknown> = { type: 'object' };
    cyclic['properties'] = { cyclic };
    expect(refusalOf(cyclic)).toBe('body/schema must be plain JSON');
    expect(refusalOf(object({ maximum: 1n }))).toBe('body/schema must be plain JSON');
    expect(refusalOf({ toJSON: () => undefined })).toBe('body/schema must be plain JSON');
  });
});

describe('limits', () => {
  it('allow 64 KiB of JSON and not a byte more', () => {
    const filled = (bytes: number) => {
      const rest = bytes - JSON.stringify(object({ description: '' })).length;
      return object({ description: 'é'.repeat(Math.floor(rest / 2)) + 'x'.repeat(rest % 2) });
    };
    expect(accept(filled(64 * 1024))).toHaveProperty('description');
    expect(refusalOf(filled(64 * 1024 + 1))).toBe('body/schema must be at most 64 KiB as JSON');
  });

  it('count subschemas with references followed, so that a small schema cannot be a large check', () => {
    const chain = (definitions: number, references: number): object => {
      const $defs: Record<string, object> = { last: { type: 'string' } };
      for (let index = 0; index < definitions; index += 1) {
        const $ref = `#/$defs/${index === definitions - 1 ? 'last' : `d${index + 1}`}`;
        $defs[`d${index}`] = { anyOf: Array.from({ length: references }, () => ({ $ref })) };
      }
      return object({ properties: { a: { $ref: '#/$defs/d0' } }, $defs });
    };
    expect(accept(chain(20, 1))).toHaveProperty('$defs');
    expect(accept(chain(5, 3))).toHaveProperty('$defs');
    const refusal = 'body/schema must have at most 10000 subschemas when its references are followed';
    expect(refusalOf(chain(20, 3))).toBe(refusal);
    expect(refusalOf(chain(500, 2))).toBe(refusal);
  });

  it('allow recursive schemas, and definitions that nothing refers to', () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
    expect(accept(tree)).toHaveProperty('properties');
    const unused = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`d${index}`, { type: 'string' }]));
    expect(accept(object({ $defs: unused }))).toHaveProperty('$defs');
  });

  it('allow 32 levels and not one more', () => {
    const nested = (levels: number) => {
      let items: object = {};
      for (let level = 1; level < levels; level++) items = { items };
      return object(items);
    };
    expect(accept(nested(32))).toHaveProperty('items');
    expect(refusalOf(nested(33))).toBe('body/schema must be at most 32 levels deep');
    expect(refusalOf(nested(2_000))).toBe('body/schema must be at most 32 levels deep');
  });
});

it('refuses long names that are repeated in many paths', () => {
  const inner = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, {}]));
  expect(accept(object({ properties: { ['x'.repeat(200)]: { properties: inner } } }))).toHaveProperty('properties');
  expect(refusalOf(object({ properties: { ['x'.repeat(30_000)]: { properties: inner } } }))).toBe(
    'body/schema must use shorter property names',
  );
});

describe('references', () => {
  it.each(['$ref', '$dynamicRef', '$recursiveRef'])('may not leave the document: %s', (keyword) => {
    for (const target of ['http://json-schema.org/draft-07/schema#', 'other.json', '']) {
      expect(refusalOf(object({ properties: { a: { [keyword]: target } } }))).toBe(
        `body/schema/properties/a/${keyword} must be a local reference that starts with "#"`,
      );
    }
    expect(refusalOf(object({ [keyword]: 5 }))).toBe(`body/schema/${keyword} must be string`);
  });

  it('must point to a schema of the document', () => {
    const data = ['#/type', '#/properties', '#/enum/0', '#/x', '#/__proto__', '#/constructor'];
    for (const $ref of [...data, '#/$defs/none', '#none', '#undefined', '#/%E0%A4%A']) {
      expect(refusalOf(object({ properties: { a: { $ref } }, enum: [{}], x: {} }))).toBe(
        'body/schema/properties/a/$ref names no schema in body/schema',
      );
    }
  });

  it('must not be affected by an inner $id, and the one of the root is removed', () => {
    expect(refusalOf(object({ properties: { a: { $id: 'a' } } }))).toMatch(
      'body/schema/properties/a/$id is not accepted',
    );
    expect(accept(object({ $id: 'https://example.org/city' }))).toEqual({ type: 'object' });
  });
});
