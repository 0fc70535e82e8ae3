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

expectTypeOf(createTool({ ...base, input: Type.Object({}) })).toEqualTypeOf<Tool>();

// @ts-expect-error a tool needs a description
createTool({ name: 'weather', input: Type.Object({}) });
// @ts-expect-error a text is no schema
createTool({ ...base, input: 'city' });
