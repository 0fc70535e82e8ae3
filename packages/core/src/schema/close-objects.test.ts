import { expect, it } from 'vitest';
import { closeObjects } from './close-objects.ts';

const text = { type: 'string' };
const open = { type: 'object', properties: { a: text } };
const closed = { ...open, additionalProperties: false };

it('closes objects at every depth', () => {
  const schema = {
    type: 'object',
    properties: { one: open, list: { type: 'array', items: open }, either: { anyOf: [open, text] } },
    $defs: { named: { oneOf: [open] } },
  };

  expect(closeObjects(schema)).toEqual({
    type: 'object',
    properties: { one: closed, list: { type: 'array', items: closed }, either: { anyOf: [closed, text] } },
    $defs: { named: { oneOf: [closed] } },
    additionalProperties: false,
  });
});

it('keeps rules of a schema for further properties, and objects of any properties', () => {
  for (const schema of [
    { ...open, additionalProperties: true },
    { ...open, additionalProperties: text },
    { ...open, patternProperties: { '^x': text } },
    { type: 'object' },
  ])
    expect(closeObjects(schema)).toEqual(schema);
});

it('leaves the parts of an intersection open: closed, each would refuse the properties of the others', () => {
  const schema = { allOf: [open, { type: 'object', properties: { b: text } }] };
  expect(closeObjects(schema)).toEqual(schema);
});

it('does not change its argument, and treats a property named like a keyword as a property', () => {
  const schema = { type: 'object', properties: { items: open, properties: open }, default: open };
  const before = structuredClone(schema);

  expect(closeObjects(schema)).toMatchObject({ properties: { items: closed, properties: closed }, default: open });
  expect(schema).toEqual(before);
});
