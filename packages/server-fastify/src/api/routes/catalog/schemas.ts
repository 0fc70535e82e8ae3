import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject } from '../common-schemas.ts';

/**
 * The agents, workflows and tools that a user may call, without models, instructions, tools of
 * agents and steps.
 */
export const Catalog = Type.Object(
  {
    agents: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        description: Type.String(),
        hasMemory: Type.Boolean({ description: 'Whether it stores conversations.' }),
        suggestions: Type.Array(Type.String(), {
          description: 'Questions that a page can offer before the first message.',
        }),
      }),
    ),
    workflows: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        purpose: Type.String(),
        inputSchema: anyNullableObject({ description: 'JSON Schema of the input, or null.' }),
        resumeSchema: anyNullableObject({ description: 'JSON Schema of the resume data of its steps, or null.' }),
      }),
    ),
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        inputSchema: anyObject({ description: 'JSON Schema of the input.' }),
      }),
      { description: 'Tools that can be executed directly: without approval and not by the client.' },
    ),
  },
  { $id: 'Catalog' },
);
export type Catalog = Static<typeof Catalog>;
