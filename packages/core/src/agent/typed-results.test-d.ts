import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import type { SdkTool } from '../tool/sdk-tool.ts';
import type { Tool } from '../tool/tool.ts';
import { Agent } from './agent.ts';
import type { ToolOutputResult } from './run-result.ts';

const weather = createTool({
  name: 'weather',
  description: 'The weather',
  input: z.object({ city: z.string() }),
  execute: async () => ({ degrees: 20, at: new Date() }),
});
const stock = createTool({
  name: 'stock',
  description: 'The stock',
  input: Type.Object({ sku: Type.String() }),
  output: Type.Integer(),
  execute: () => 5,
});
const model = scriptedModel('Hi');

// The name of a tool narrows its input and output, in the result, in each step and at the end of a
// stream.
const agent = new Agent({ id: 'a', model, tools: [weather, stock] });
const { steps, toolResults } = await agent.generateText('Hi');
for (const one of [
  ...toolResults,
  ...(steps[0]?.toolResults ?? []),
  ...(await (await agent.streamText('Hi')).result).toolResults,
]) {
  if (one.toolName === 'weather') {
    expectTypeOf(one.output).toEqualTypeOf<{ degrees: number; at: string }>();
    expectTypeOf(one.input).toEqualTypeOf<{ city: string }>();
  }
  if (one.toolName === 'stock') expectTypeOf(one.output).toEqualTypeOf<number>();
  if (one.toolName === 'ask_desk') expectTypeOf(one.output).toEqualTypeOf<unknown>();
  // @ts-expect-error the agent has no such tool
  if (one.toolName === 'refund') throw new Error(one.toolName);
}

// In a record, a tool of the AI SDK has the name of its key.
declare const sdk: SdkTool;
const mixed = await new Agent({ id: 'b', model, tools: { clock: sdk, weather } }).generateText('Hi');
for (const one of mixed.toolResults) {
  if (one.toolName === 'weather') expectTypeOf(one.output.degrees).toEqualTypeOf<number>();
  if (one.toolName === 'clock') expectTypeOf(one.output).toEqualTypeOf<unknown>();
}

// Tools whose names only the running app knows, and no tools.
declare const discovered: readonly Tool[];
expectTypeOf((await new Agent({ id: 'c', model, tools: discovered }).generateText('Hi')).toolResults).toEqualTypeOf<
  readonly ToolOutputResult[]
>();
expectTypeOf((await new Agent({ id: 'd', model }).generateText('Hi')).toolResults).toEqualTypeOf<
  readonly ToolOutputResult[]
>();

// Every agent is an `Agent`.
expectTypeOf(agent).toExtend<Agent>();
