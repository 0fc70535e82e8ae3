import { expect, it } from 'vitest';
import { endlessComponents } from './component-cycles.ts';

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });

it('finds components that refer to themselves at the same place', () => {
  const components = new Map<string, object>([
    ['itself', to('itself')],
    ['first', { allOf: [{ anyOf: [to('second')] }] }],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ['second', { if: true, then: { dependentSchemas: { allOf: to('first') } } }],
    ['before', to('first')],
    ['list', { items: to('list') }],
    ['object', { properties: { allOf: to('object') }, anyOf: [true, { additionalProperties: to('object') }] }],
  ]);
  expect([...endlessComponents(components as never)]).toEqual(['itself', 'first', 'second']);
});
