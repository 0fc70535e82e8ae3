import { createTool, type ProviderTool, type Tool } from '@halyard/core';
import { tool, type ToolSet } from 'ai';
import { z } from 'zod';

/** The tools that scripts can name. Each is defined once, and created for both sides. */
const definitions = {
  weather: {
    description: 'The weather in a city',
    input: z.object({ city: z.string() }),
    execute: ({ city }: { city: string }): unknown => ({ city, degrees: 7 }),
  },
  time: {
    description: 'The time in a city',
    input: z.object({ city: z.string(), format: z.enum(['12h', '24h']).optional() }),
    execute: ({ city }: { city: string }): unknown => `12:00 in ${city}`,
  },
  failing: {
    description: 'Always fails',
    input: z.object({}),
    execute: (): unknown => {
      throw new TypeError('The line is down');
    },
  },
  silent: {
    description: 'Returns nothing',
    input: z.object({}),
    execute: (): unknown => undefined,
  },
  book: {
    description: 'Books a table, with nested and optional input',
    input: z.object({ guests: z.array(z.object({ name: z.string(), age: z.number().optional() })) }),
    execute: ({ guests }: { guests: readonly object[] }): unknown => ({ booked: guests.length }),
  },
  /** Runs on the client: the run ends with the call. */
  confirm: {
    description: 'Asks the user',
    input: z.object({ question: z.string() }),
    execute: undefined,
  },
};

export type ToolName = keyof typeof definitions;

export function sdkTools(names: readonly ToolName[], onCall: () => void): ToolSet {
  return Object.fromEntries(
    names.map((name) => {
      const { description, input, execute } = definition(name);
      const base = { description, inputSchema: input };
      return [name, execute === undefined ? tool(base) : tool({ ...base, execute: observed(execute, onCall) })];
    }),
  );
}

export function agentTools(names: readonly ToolName[], onCall: () => void): readonly Tool[] {
  return names.map((name) => {
    const { execute, ...options } = definition(name);
    return createTool({ name, ...options, ...(execute && { execute: observed(execute, onCall) }) });
  });
}

export function agentProviderTools(tools: ToolSet): readonly ProviderTool[] {
  return Object.entries(tools).flatMap(([name, provided]) =>
    provided.type === 'provider' ? { ...provided, name } : [],
  );
}

interface Definition {
  readonly description: string;
  readonly input: z.ZodType;
  readonly execute: ((input: never) => unknown) | undefined;
}

function definition(name: ToolName): Definition {
  return definitions[name];
}

/** The input was validated by the schema of the same definition. */
function observed(execute: (input: never) => unknown, onCall: () => void) {
  return (input: unknown): unknown => {
    onCall();
    return execute(input as never);
  };
}
