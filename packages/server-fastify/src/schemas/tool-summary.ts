import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject } from './any-object.ts';

/** A tool, and the agents that may call it. */
export const ToolSummary = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    inputSchema: anyObject({ description: 'JSON Schema of the input.' }),
    outputSchema: anyNullableObject({ description: 'JSON Schema of the result, where the tool states one.' }),
    needsApproval: Type.Boolean({ description: 'Whether calls need a person to agree, always or for some inputs.' }),
    tags: Type.Array(Type.String()),
    agents: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    clientSide: Type.Optional(Type.Literal(true, { description: 'The client runs the tool.' })),
  },
  { $id: 'ToolSummary' },
);
export type ToolSummary = Static<typeof ToolSummary>;
