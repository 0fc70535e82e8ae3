import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { createTool } from './create-tool.ts';
import type { Tool, ToolContext } from './tool.ts';

const base = { name: 'weather', description: 'Current weather' };

// TypeBox and Standard Schemas give the type of the input to `execute` and `needsApproval`.
createTool({
  ...base,
  input: Type.Object({ city: Type.String(), days: Type.Optional(Type.Integer()) }),
  needsApproval: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number }>();
    return true;
  },
  execute: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
  },
});
createTool({
  ...base,
  input: z.object({ at: z.string().transform(Number) }),
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ at: number }>();
  },
});

// A plain JSON Schema has no type.
createTool({
  ...base,
  input: { type: 'object', properties: { city: { type: 'string' } } },
  execute: async (input) => {
    expectTypeOf(input).toEqualTypeOf<unknown>();
  },
});

// The name, and the JSON that clients send and receive, reach the type of the tool.
expectTypeOf(createTool({ ...base, input: Type.Object({}) })).toEqualTypeOf<Tool<string, {}>>();
expectTypeOf(
  createTool({
    name: 'clock',
    description: 'The time',
    input: z.object({ zone: z.string().default('UTC') }),
    execute: async () => ({ at: new Date() }),
  }),
).toEqualTypeOf<Tool<'clock', { zone?: string | undefined }, { at: string }>>();
expectTypeOf<Tool<'clock', { zone: string }, string>>().toExtend<Tool>();

// @ts-expect-error a tool needs a description
createTool({ name: 'weather', input: Type.Object({}) });
// @ts-expect-error a text is no schema
createTool({ ...base, input: 'city' });

// `execute` returns a value that the schema of the output accepts.
const count = { ...base, input: Type.Object({}), output: z.object({ count: z.number() }) };
createTool({ ...count, execute: () => ({ count: 1 }) });
// @ts-expect-error a text is no number
createTool({ ...count, execute: () => ({ count: 'no' }) });
// @ts-expect-error nor is it later
createTool({ ...count, execute: async () => ({ count: 'no' }) });
createTool({
  ...base,
  input: Type.Object({ id: Type.String() }),
  output: Type.Object({ id: Type.String(), state: Type.Union([Type.Literal('open'), Type.Literal('done')]) }),
  execute: ({ id }) => ({ id, state: 'open' }),
});
expectTypeOf(
  createTool({
    ...base,
    input: Type.Object({}),
    output: z.object({ at: z.string().transform(Number) }),
    execute: () => ({ at: '5' }),
  })['~tool'],
).toEqualTypeOf<((input: {}) => { at: number }) | undefined>();

// The output of a generator is its last value.
expectTypeOf(
  createTool({
    ...base,
    input: Type.Object({}),
    execute: async function* work() {
      yield { done: 1 };
    },
  })['~tool'],
).toEqualTypeOf<((input: {}) => { done: number }) | undefined>();
createTool({
  ...count,
  // @ts-expect-error each value must fit
  execute: async function* work() {
    yield { count: 'no' };
  },
});
