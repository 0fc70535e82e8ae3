import { type Static, Type } from '@sinclair/typebox';
import { AgentInput } from './agent-input.ts';
import { GenerationOptions } from './generation-options.ts';

/** What an agent is asked, and how it shall answer. */
export const GenerationRequest = Type.Object(
  { input: AgentInput, options: Type.Optional(GenerationOptions) },
  { $id: 'GenerationRequest' },
);
export type GenerationRequest = Static<typeof GenerationRequest>;
