import type { JsonSchema } from '@halyard/core';
import { compileSchema } from '@halyard/core/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { appSchema } from './app-schema.ts';
import { ComponentNames } from './component-names.ts';

const odd = [
  'if',
  'const',
  'examples',
  '$ref',
  '$id',
  '$schema',
  'nullable',
  'enum',
  '$defs',
  '__proto__',
  'a/b~c',
  '',
];

function converted(schema: JsonSchema, insertsDefaults = false) {
  return appSchema(schema, { name: 'app', names: new ComponentNames(), insertsDefaults });
}

/** The components of a schema as they are in a document. */
function components(schema: JsonSchema): Record<string, object> {
  return JSON.parse(JSON.stringify(Object.fromEntries(converted(schema).components)));
}

/** Whether the schema accepts a value before and after the conversion. */
async function accepted(schema: JsonSchema, value: unknown, insertsDefaults = false): Promise<readonly boolean[]> {
  const before = await compileSchema(schema, 'the test').validate(value, 'value');
  const { components: parts, name } = converted(schema, insertsDefaults);
  const document = { components: { schemas: Object.fromEntries(parts) } };
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true }).addSchema(document, 'doc');
  return [before.ok, ajv.validate({ $ref: `doc#/components/schemas/${name}` }, value)];
}

describe('the component of a schema of the app', () => {
  it.each(['properties', 'patternProperties'])('keeps names in %s that are keywords elsewhere', (map) => {
    const named = Object.fromEntries(
      odd.map((name) => [name, { type: 'string', $id: `https://x.test/${odd.indexOf(name)}` }]),
    );
    const { app } = components({ type: 'object', [map]: named });
    expect(Object.entries((app as Record<string, object>)[map] ?? {})).toEqual(
      odd.map((name) => [name, { type: 'string' }]),
    );
  });

  it.each(['$defs', 'definitions'])('resolves references to names in %s that are keywords elsewhere', (map) => {
    const named = Object.fromEntries(odd.map((name, index) => [name, { const: index }]));
    const parts = odd.map((name) => ({
      $ref: `#/${map}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
    }));
    const described = components({ type: 'array', prefixItems: parts, [map]: named });
    const { prefixItems } = described['app'] as { prefixItems: { $ref: string }[] };
    const targets = prefixItems.map(({ $ref }) => described[$ref.slice('#/components/schemas/'.length)]);
    expect(targets).toEqual(odd.map((_, index) => ({ const: index })));
  });

  it('keeps names in dependentSchemas that are keywords elsewhere', () => {
    const named = Object.fromEntries(odd.map((name) => [name, { required: [name] }]));
    expect(
      Object.entries(Object(components({ type: 'object', dependentSchemas: named })['app']).dependentSchemas),
    ).toEqual(Object.entries(named));
  });

  it('keeps data that looks like a schema', () => {
    const data = { $id: 'x', $schema: 'y', if: { type: 'string' }, nullable: true, properties: { a: { $id: 'z' } } };
    const schema = { const: data, enum: [data], default: data, examples: [data] };
    expect(components(schema)['app']).toEqual(schema);
  });

  it('describes data that looks like a reference without it, because tools would follow it', async () => {
    const data = { a: [1, { $ref: '#/nowhere' }] };
    const schema = { enum: [5, data], default: data, examples: [data], 'x-mine': data };
    expect(JSON.stringify(components({ ...schema, const: data }))).not.toContain('"$ref":"');
    for (const value of [5, data]) expect(await accepted(schema, value)).toEqual([true, true]);
    for (const value of [
      6,
      { a: [1] },
      { a: [1, { $ref: '#' }] },
      { ...data, b: 1 },
      { a: [1, { $ref: '#/nowhere' }, 2] },
    ])
      expect(await accepted(schema, value)).toEqual([false, false]);
    expect(await accepted({ const: data }, data)).toEqual([true, true]);
    expect(await accepted({ const: data }, { a: [2, { $ref: '#/nowhere' }] })).toEqual([false, false]);
  });

  it('describes an empty enum, which tools refuse, as a schema that no value fits', () => {
    expect(components({ type: 'array', items: [{ enum: [] }] })).toMatchObject({ app: { prefixItems: [{ not: {} }] } });
  });

  it('keeps conditions together with the properties beside them', () => {
    const schema = {
      type: 'object',
      properties: { kind: { type: 'string' } },
      if: { properties: { kind: { const: 'car' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { type: 'object', required: ['wheels'] },
      else: { type: 'object', required: ['sails'] },
    };
    expect(components(schema)['app']).toEqual(schema);
  });

  it.each([
    ['an anchor', { $ref: '#item' }, { $anchor: 'item' }],
    ['an anchor of draft-07', { $ref: '#item' }, { $id: '#item' }],
    ['a relative id', { $ref: 'item' }, { $id: 'item' }],
    ['an absolute id', { $ref: 'https://x.test/item' }, { $id: 'https://x.test/item' }],
    ['a URN', { $ref: 'urn:x:item' }, { $id: 'urn:x:item' }],
    ['an id with an anchor', { $ref: 'item#here' }, { $id: 'item', $anchor: 'here' }],
    ['a dynamic anchor', { $dynamicRef: '#item' }, { $dynamicAnchor: 'item' }],
  ])('resolves a reference to %s', (_, reference, id) => {
    const schema = { type: 'object', properties: { a: reference }, $defs: { Item: { ...id, type: 'integer' } } };
    const described = components(schema);
    const [, component = ''] = Object.keys(described);
    expect(described).toEqual({
      app: { type: 'object', properties: { a: { $ref: `#/components/schemas/${component}` } } },
      [component]: { type: 'integer' },
    });
  });

  it('resolves references that start at an inner schema with an id', () => {
    const inner = {
      $id: 'https://x.test/inner',
      type: 'object',
      properties: { again: { $ref: '#' }, name: { $ref: '#/$defs/N' } },
    };
    const schema = {
      $id: 'https://x.test/outer',
      properties: { inner: { ...inner, $defs: { N: { type: 'string' } } } },
    };
    expect(components(schema)).toEqual({
      app: { properties: { inner: { $ref: '#/components/schemas/app.inner' } } },
      'app.inner': {
        type: 'object',
        properties: { again: { $ref: '#/components/schemas/app.inner' }, name: { $ref: '#/components/schemas/app.N' } },
      },
      'app.N': { type: 'string' },
    });
  });

  it.each([
    ['$ref to the root', { $ref: '#' }, {}],
    ['$recursiveRef', { $recursiveRef: '#' }, { $recursiveAnchor: true }],
    ['$dynamicRef', { $dynamicRef: '#node' }, { $dynamicAnchor: 'node' }],
  ])('describes a recursive schema: %s', async (_, reference, anchor) => {
    const schema = { ...anchor, type: 'object', properties: { next: reference, value: { type: 'integer' } } };
    expect(await accepted(schema, { value: 1, next: { next: { value: 2 } } })).toEqual([true, true]);
    expect(await accepted(schema, { value: 1, next: { next: { value: 'x' } } })).toEqual([false, false]);
  });

  it('lets a dynamic anchor of the root replace that of an inner schema', () => {
    const tree = {
      $id: 'tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { children: { type: 'array', items: { $dynamicRef: '#node' } } },
    };
    const schema = {
      $id: 'strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    };
    expect(components(schema)['app.tree']).toMatchObject({
      properties: { children: { items: { $ref: '#/components/schemas/app' } } },
    });
  });

  it('describes schemas that refer to each other', async () => {
    const schema = {
      $ref: '#/definitions/Even',
      definitions: {
        Even: { type: 'object', properties: { odd: { $ref: '#/definitions/Odd' } } },
        Odd: { type: 'object', properties: { even: { $ref: '#/definitions/Even' } }, required: ['even'] },
      },
    };
    expect(await accepted(schema, { odd: { even: { odd: { even: {} } } } })).toEqual([true, true]);
    expect(await accepted(schema, { odd: { even: { odd: {} } } })).toEqual([false, false]);
  });

  it.each<[string, JsonSchema, readonly unknown[], readonly unknown[]]>([
    [
      'a list of items',
      { items: [{ type: 'integer' }], additionalItems: { type: 'string' } },
      [[1, 'a']],
      [['a'], [1, 1]],
    ],
    ['additional items without a list', { items: { type: 'integer' }, additionalItems: false }, [[1, 2]], [['a']]],
    ['required dependencies', { dependencies: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    [
      'dependencies with the name that validation ignores',
      { dependencies: JSON.parse('{"__proto__":["b"],"a":["b"]}') },
      [JSON.parse('{"__proto__":1}')],
      [{ a: 1 }],
    ],
    ['dependent schemas', { dependencies: { a: { minProperties: 2 } } }, [{ b: 1 }], [{ a: 1 }]],
    [
      'both kinds of dependencies',
      { dependencies: { a: ['b'] }, dependentSchemas: { a: { minProperties: 3 } } },
      [{ a: 1, b: 1, c: 1 }],
      [
        { a: 1, b: 1 },
        { a: 1, c: 1, d: 1 },
      ],
    ],
    ['nullable', { type: 'string', nullable: true }, ['a', null], [1]],
    [
      'a keyword that is later than the draft',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', prefixItems: [false] },
      [[1]],
      [1],
    ],
  ])('accepts the same values with %s', async (_, schema, valid, invalid) => {
    for (const value of valid) expect(await accepted(schema, value)).toEqual([true, true]);
    for (const value of invalid) expect(await accepted(schema, value)).toEqual([false, false]);
  });

  it('keeps two references of one schema', () => {
    const $defs = { A: { minimum: 1 }, B: { $dynamicAnchor: 'b', maximum: 5 } };
    expect(components({ $ref: '#/$defs/A', $dynamicRef: '#b', $defs })['app']).toEqual({
      $ref: '#/components/schemas/app.A',
      allOf: [{ $ref: '#/components/schemas/app.B' }],
    });
  });

  it('requires no property of an input that has a default, except where none is inserted', async () => {
    const object = { type: 'object', properties: { a: { type: 'integer', default: 1 } }, required: ['a'] };
    expect(await accepted(object, {}, true)).toEqual([true, true]);
    expect(await accepted({ properties: { o: object } }, { o: {} }, true)).toEqual([true, true]);
    expect(await accepted({ anyOf: [object] }, {}, true)).toEqual([false, false]);
    expect(converted(object).components.get('app')).toMatchObject({ required: ['a'] });
  });

  it('accepts any value for a reference that leads nowhere, and names it', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: 'https://x.test/y', title: 'A' }, b: { $ref: 5 }, c: { $ref: '#/%' } },
    };
    const { components: parts, lost } = converted(schema);
    expect(parts.get('app')).toEqual({ type: 'object', properties: { a: { title: 'A' }, b: {}, c: {} } });
    expect(lost).toEqual(['"https://x.test/y"', '5', '"#/%"']);
  });
});
