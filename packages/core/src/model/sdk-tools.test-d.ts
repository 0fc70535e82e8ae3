import { Type } from '@sinclair/typebox';
import { dynamicTool, jsonSchema, tool, type ToolSet } from 'ai';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../agent/agent-options.ts';
import { Agent } from '../agent/agent.ts';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const agent = (options: AgentOptions): Agent => new Agent(options);
const base = { id: 'a', model: scriptedModel('') };
const add = createTool({ name: 'add', description: 'Adds', input: Type.Object({}) });

// Tools of the AI SDK are accepted in a record, and infer the types of their functions there.
agent({
  ...base,
  tools: {
    add,
    weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }, { abortSignal, toolCallId }) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(abortSignal).toEqualTypeOf<AbortSignal | undefined>();
        expectTypeOf(toolCallId).toEqualTypeOf<string>();
        return { degrees: 5 };
      },
      toModelOutput: ({ input, output }) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string }>();
        expectTypeOf(output).toEqualTypeOf<{ degrees: number }>();
        return { type: 'text', value: '' };
      },
    }),
    client: tool({ inputSchema: jsonSchema<{ id: number }>({ type: 'object' }), outputSchema: z.string() }),
    dynamic: dynamicTool({ inputSchema: z.object({}), execute: async (input) => input }),
  },
});

declare const shared: ToolSet;
agent({ ...base, tools: shared });
agent({ ...base, tools: { ...shared, add } });
agent({ ...base, tools: [add] });
agent({ ...base, subAgents: { helper: new Agent(base) } });

// @ts-expect-error a tool of the AI SDK has no name, which a record gives it
agent({ ...base, tools: [tool({ inputSchema: z.object({}), execute: () => 1 })] });
// @ts-expect-error a tool is no record of tools
agent({ ...base, tools: add });
// @ts-expect-error an agent is no record of agents
agent({ ...base, subAgents: new Agent(base) });
