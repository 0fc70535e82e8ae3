import { expect, it } from 'vitest';
import { walkSchema } from './walk-schema.ts';

function pointersOf(schema: unknown): string[] {
  const pointers: string[] = [];
  walkSchema(schema, (_, pointer) => pointers.push(pointer));
  return pointers;
}

it('visits every subschema once', () => {
  const schema = {
    properties: { 'a/b~c': {}, properties: { not: true } },
    items: [{}, false],
    anyOf: [{ if: {}, else: {} }],
    dependencies: { a: ['b'], b: {} },
    $defs: { a: { items: {} } },
  };
  expect(pointersOf(schema)).toEqual([
    '',
    '/properties/a~1b~0c',
    '/properties/properties',
    '/properties/properties/not',
    '/items/0',
    '/items/1',
    '/anyOf/0',
    '/anyOf/0/if',
    '/anyOf/0/else',
    '/dependencies/b',
    '/$defs/a',
    '/$defs/a/items',
  ]);
});

it('does not descend into data and unknown keywords', () => {
  const data = { items: {} };
  expect(
    pointersOf({
      enum: [data],
      const: data,
      default: data,
      examples: [data],
      'x-more': data,
      properties: 5,
      anyOf: {},
    }),
  ).toEqual(['']);
});
