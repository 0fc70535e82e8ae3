import { InvalidInputError } from '@halyard/contracts';
import { RE2JS } from 're2js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toSchemaText } from './check-untrusted-schema.ts';
import { compileUntrustedSchema, type ValidateUntrusted } from './compile-untrusted-schema.ts';

afterEach(() => vi.restoreAllMocks());

function object(keywords: object): Record<string, unknown> {
  return { type: 'object', ...keywords };
}

function compile(schema: unknown): ValidateUntrusted {
  return compileUntrustedSchema(toSchemaText(schema));
}

function check(schema: unknown, value: unknown): unknown {
  return compile(schema)(value, 'object');
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    return error instanceof Error ? error.message : '';
  }
  return expect.unreachable('was accepted');
}

const refusalOf = (schema: unknown): string => refusal(() => compile(schema));

/** `levels` definitions, each of which asks the next one twice: 2^levels checks. */
function doubling(keyword: 'allOf' | 'anyOf', levels: number, last: object): Record<string, unknown> {
  const definitions = Array.from({ length: levels }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { [keyword]: [next, next] }];
  });
  return { ...Object.fromEntries(definitions), [`d${levels}`]: last };
}

describe('validating an object', () => {
  it('describes what does not fit and inserts no defaults', () => {
    const schema = object({
      properties: { city: { type: 'string' }, unit: { default: 'c' } },
      required: ['city'],
      additionalProperties: false,
    });
    expect(check(schema, { city: 'Oslo' })).toEqual({ ok: true, value: { city: 'Oslo' } });
    expect(check(schema, { city: 1 })).toEqual({ ok: false, message: 'object/city must be string' });
    expect(check(schema, { city: 'Oslo', x: 1 })).toEqual({
      ok: false,
      message: "object must NOT have additional properties: 'x'",
    });
    expect(check(schema, 'text')).toEqual({ ok: false, message: 'object must be object' });
  });

  it('follows the draft that the schema names or needs', () => {
    const pair = { properties: { pair: { prefixItems: [{ type: 'string' }], items: false } } };
    expect(
      check(object({ ...pair, $schema: 'https://json-schema.org/draft/2020-12/schema' }), { pair: ['a', 1] }),
    ).toMatchObject({ ok: false });
    expect(check(object(pair), { pair: ['a', 1] })).toMatchObject({ ok: false });

    const closed = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(
      check(object({ ...closed, $schema: 'https://json-schema.org/draft/2019-09/schema' }), { b: 1 }),
    ).toMatchObject({ ok: false });
    expect(check(object(closed), { a: 1 })).toMatchObject({ ok: true });

    const tuple = { properties: { pair: { items: [{ type: 'string' }], additionalItems: false } } };
    expect(
      check(object({ ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' }), { pair: ['a', 1] }),
    ).toMatchObject({ ok: false });
    expect(check(object({ $schema: 'https://example.org/mine' }), {})).toMatchObject({ ok: true });
  });

  it('treats format and unknown keywords as annotations', () => {
    const schema = object({
      properties: { to: { format: 'email' } },
      id: 'draft-04',
      'x-order': ['to'],
      constructor: 5,
      toString: {},
    });
    expect(check(schema, { to: 'nobody' })).toMatchObject({ ok: true });
  });

  it('checks names of Object.prototype like any other', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"constructor":{"type":"string"},"toString":{"type":"string"}},"required":["constructor","__proto__"]}',
    );
    expect(check(schema, {})).toEqual({ ok: false, message: "object must have required property 'constructor'" });
    expect(check(schema, { constructor: 'x' })).toEqual({
      ok: false,
      message: "object must have required property '__proto__'",
    });
    expect(check(schema, JSON.parse('{"constructor":"x","__proto__":1}'))).toMatchObject({ ok: true });
    expect(check(schema, JSON.parse('{"constructor":1,"__proto__":1}'))).toMatchObject({ ok: false });
  });

  it('treats a property called __proto__ like any other', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","__proto__":{"required":["x"]},"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}',
    );
    expect(check(schema, {})).toMatchObject({ ok: true });
    expect(check(schema, JSON.parse('{"__proto__":1}'))).toMatchObject({ ok: false });
    expect(Object.prototype).not.toHaveProperty('required');
  });

  it('never returns a promise', () => {
    expect(check(object({ $async: true, required: ['a'] }), {})).toMatchObject({ ok: false });
  });
});

describe('an invalid schema', () => {
  it('is refused by the meta-schema', () => {
    expect(refusalOf(object({ properties: 5 }))).toBe('body/schema/properties must be object');
    expect(refusalOf(object({ properties: { a: { type: 'text' } } }))).toMatch(
      /^body\/schema\/properties\/a\/type must be equal to one of the allowed values: "array", /,
    );
    expect(refusalOf(object({ required: 'a' }))).toBe('body/schema/required must be array');
    expect(refusalOf(object({ $schema: 5 }))).toBe('body/schema/$schema must be string');
    expect(refusalOf(object({ $defs: { a: { minimum: '1' } } }))).toBe('body/schema/$defs/a/minimum must be number');
  });

  it('writes nothing to the console', () => {
    const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    refusalOf(object({ properties: 5 }));
    refusalOf(object({ properties: { a: { nullable: true, enum: [1] } } }));
    check(object({ properties: { a: { format: 'shoe-size', default: 1, maximum: 1 } } }), {});
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});

describe('size', () => {
  it('of an ordinary schema may be 500 properties', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(check(object({ properties }), { p499: 1 })).toEqual({ ok: false, message: 'object/p499 must be string' });
  });
});

describe('references', () => {
  it('may point to schemas of the document', () => {
    const schema = object({
      properties: {
        a: { $ref: '#/$defs/a~1b%20c' },
        b: { $ref: '#/definitions/b' },
        c: { $ref: '#anchor' },
        again: { $ref: '#' },
      },
      $defs: { 'a/b c': { type: 'string' }, c: { $anchor: 'anchor', type: 'boolean' } },
      definitions: { b: { type: 'number' } },
    });
    expect(check(schema, { a: 'x', b: 1, c: true, again: { a: 'x' } })).toMatchObject({ ok: true });
    expect(check(schema, { a: 1 })).toMatchObject({ message: 'object/a must be string' });
    expect(check(schema, { b: '1' })).toMatchObject({ message: 'object/b must be number' });
    expect(check(schema, { c: 1 })).toMatchObject({ message: 'object/c must be boolean' });
    expect(check(schema, { again: { again: { a: 1 } } })).toMatchObject({
      message: 'object/again/again/a must be string',
    });
  });

  it('may be dynamic', () => {
    const tree = {
      $dynamicAnchor: 'node',
      properties: { child: { $dynamicRef: '#node' } },
      additionalProperties: false,
    };
    expect(check(object(tree), { child: { child: { x: 1 } } })).toMatchObject({ ok: false });
  });

  it('are ignored in data and as property names', () => {
    const data = { $ref: 'http://example.org', $id: 'x' };
    const schema = object({
      properties: { $ref: { enum: [data] }, $id: { const: data } },
      default: data,
      examples: [data],
    });
    expect(check(schema, { $ref: data, $id: data })).toMatchObject({ ok: true });
  });
});

describe('patterns', () => {
  const catastrophic = object({ properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] });

  it('run on the linear-time engine', () => {
    const linear = vi.spyOn(RE2JS.prototype, 'test');
    const native = vi.spyOn(RegExp.prototype, 'test');
    expect(check(catastrophic, { a: `${'a'.repeat(50)}!` })).toEqual({
      ok: false,
      message: 'object/a must match pattern "^(a+)+$"',
    });
    expect(linear.mock.calls).toEqual([[`${'a'.repeat(50)}!`]]);
    expect(native).not.toHaveBeenCalledWith(`${'a'.repeat(50)}!`);
    expect(check(catastrophic, { a: 'aaa' })).toMatchObject({ ok: true });
  });

  it('run on it for property names too', () => {
    const schema = object({
      patternProperties: { '^(x+)+$': { type: 'number' } },
      propertyNames: { pattern: '^([a-z]+)+$' },
    });
    expect(check(schema, { [`${'x'.repeat(50)}!`]: 1 })).toMatchObject({ ok: false });
    expect(check(schema, { xx: 'no number' })).toEqual({ ok: false, message: 'object/xx must be number' });
  });

  it('may be several in one schema', () => {
    const schema = object({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
    expect(check(schema, { a: 'a', b: 'b' })).toMatchObject({ ok: true });
    expect(check(schema, { a: 'a', b: 'a' })).toMatchObject({ message: 'object/b must match pattern "^b$"' });
  });

  it('are refused with their place if the engine does not support them', () => {
    const refused = (place: string) =>
      `body/schema/${place} is not supported by the linear-time pattern engine: back-references`;
    expect(refusalOf(object({ properties: { a: { pattern: '(a)\\1' } } }))).toBe(refused('properties/a/pattern'));
    expect(refusalOf(object({ patternProperties: { '(a)\\1': {} } }))).toBe(refused('patternProperties/(a)\\1'));
  });
});

describe('schemas made to block the process', () => {
  it.each(['allOf', 'anyOf'] as const)('are refused when their references multiply: %s', (keyword) => {
    const schema = object({ $ref: '#/$defs/d0', $defs: doubling(keyword, 40, {}) });
    expect(refusalOf(schema)).toMatch(/^body\/schema must have at most 10000 subschemas/);
  });

  it.each([
    { $ref: '#' },
    { allOf: [{ $ref: '#' }] },
    { anyOf: [{ required: ['x'] }, { $ref: '#' }] },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
  ])('are refused when they reference themselves without end: %j', (keywords) => {
    expect(refusalOf(object(keywords))).toMatch(/^body\/schema (is too complex to check|cannot be compiled)/);
  });

  it('cannot exhaust the stack with a deep value', () => {
    let value: object = {};
    for (let level = 0; level < 100_000; level++) value = { child: value };
    const validate = compile(object({ properties: { child: { $ref: '#' } } }));
    expect(refusal(() => validate(value, 'object'))).toBe('body/schema is too complex to check');
  });
});

describe('compiling again', () => {
  it('is not necessary for the same text', () => {
    const compiled = compile(object({ title: 'again' }));
    expect(compile(object({ title: 'again' }))).toBe(compiled);
    expect(compile(object({ title: 'another' }))).not.toBe(compiled);
  });

  it('is necessary for a text that was not used for the last 64', () => {
    const titled = (title: string): unknown => compile(object({ title }));
    const [used, unused] = [titled('used'), titled('unused')];
    for (let index = 0; index < 62; index += 1) titled(`${index}`);
    expect(titled('used')).toBe(used);
    titled('one too many');
    expect(titled('used')).toBe(used);
    expect(titled('unused')).not.toBe(unused);
  });

  it('is necessary for schemas with patterns, whose engine uses more memory the more it reads', () => {
    const schema = object({ properties: { a: { pattern: 'a' } } });
    expect(compile(schema)).not.toBe(compile(schema));
  });
});
