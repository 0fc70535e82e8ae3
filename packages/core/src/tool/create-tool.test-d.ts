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
