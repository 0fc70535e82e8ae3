import { Output } from 'ai';
import { z } from 'zod';

const person = z.object({ name: z.string(), age: z.number().optional(), role: z.enum(['cook', 'guest']) });

/** The structured outputs that scripts can name, as options of an agent. */
export const agentOutputs = {
  person: { schema: person },
  people: { output: 'array', element: person, minItems: 1, maxItems: 9 },
  weather: { output: 'choice', options: ['sunny', 'rainy', 'snowy'] },
} as const;

export type OutputName = keyof typeof agentOutputs;

/** The same ones as outputs of the AI SDK. */
export const sdkOutputs: Record<OutputName, Output.Output<unknown>> = {
  person: Output.object(agentOutputs.person),
  people: Output.array(agentOutputs.people),
  weather: Output.choice({ options: [...agentOutputs.weather.options] }),
};
