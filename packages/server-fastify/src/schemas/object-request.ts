import { type Static, Type } from '@sinclair/typebox';
import { AgentInput } from './agent-input.ts';
import { anyObject } from './any-object.ts';
import { GenerationOptions } from './generation-options.ts';

/** A generation request whose answer must fit a JSON Schema. */
export const ObjectRequest = Type.Object(
  {
    input: AgentInput,
    schema: anyObject({
      description:
        'JSON Schema of type object: at most 64 KiB and 32 levels deep, references only to schemas inside it.',
    }),
    options: Type.Optional(GenerationOptions),
  },
  { $id: 'ObjectRequest' },
);
export type ObjectRequest = Static<typeof ObjectRequest>;
