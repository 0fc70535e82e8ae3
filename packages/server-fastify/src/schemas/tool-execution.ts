import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject } from './any-object.ts';
import { Id } from './id.ts';
import { ToolOutput } from './tool-values.ts';

/** A call of a tool without an agent. */
export const ToolExecutionRequest = Type.Object(
  {
    input: Type.Unknown({ description: "Checked against the tool's own schema." }),
    context: Type.Optional(anyNullableObject()),
    userId: Type.Optional(Id),
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
