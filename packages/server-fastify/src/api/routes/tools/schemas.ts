import { type Static, type TUnknown, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject, ExternalId, Id, RestrictedAccess } from '../common-schemas.ts';

/** The arguments of a tool call. They are validated by the schema of the tool. */
export const ToolInput: TUnknown = Type.Unknown({ description: 'Arguments of the tool, any JSON.' });

export const ToolOutput: TUnknown = Type.Unknown({ description: 'Result of the tool, any JSON.' });

/** A tool and the agents that can call it. */
export const ToolSummary = Type.Object(
  {
    name: Type.String({
      description: 'What requests call it: `agent/tool` where tools of several agents have the same name.',
    }),
    description: Type.String(),
    inputSchema: anyObject({ description: 'JSON Schema of the input.' }),
    outputSchema: anyNullableObject({ description: 'JSON Schema of the result, or null.' }),
    needsApproval: Type.Boolean({ description: 'Whether calls need approval by a person, always or for some inputs.' }),
    tags: Type.Array(Type.String()),
    agents: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    access: RestrictedAccess,
    clientSide: Type.Optional(Type.Literal(true, { description: 'The client runs the tool.' })),
  },
  { $id: 'ToolSummary' },
);
export type ToolSummary = Static<typeof ToolSummary>;

/** A tool of the server, or `agent/tool`. */
export const ToolName = Type.String({
  pattern: '^(?![.]+/|[.]+$)(?:[A-Za-z0-9_.:-]{1,128}/)?(?![.]+$)[A-Za-z0-9_.:-]{1,128}$',
});

/** A request to call a tool without an agent. */
export const ToolExecutionRequest = Type.Object(
  {
    input: Type.Unknown({ description: 'Validated by the schema of the tool.' }),
    context: Type.Optional(anyNullableObject()),
    userId: Type.Optional(ExternalId),
    conversationId: Type.Optional(Id),
  },
  { $id: 'ToolExecutionRequest' },
);
export type ToolExecutionRequest = Static<typeof ToolExecutionRequest>;

export const ToolExecution = Type.Object(
  {
    toolName: Type.String(),
    result: ToolOutput,
    executionTime: Type.Number({ description: 'Milliseconds.' }),
    timestamp: Type.String({ format: 'date-time' }),
  },
  { $id: 'ToolExecution' },
);
export type ToolExecution = Static<typeof ToolExecution>;
