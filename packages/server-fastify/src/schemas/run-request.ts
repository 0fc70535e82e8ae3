import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject } from './any-object.ts';
import { Id } from './id.ts';
import { nullableObject } from './nullable-object.ts';

/** Starts an execution of a workflow. */
export const RunRequest = Type.Object(
  {
    input: Type.Unknown({ description: "Checked against the workflow's own schema." }),
    options: Type.Optional(
      nullableObject({
        userId: Type.Optional(Id),
        conversationId: Type.Optional(Id),
        executionId: Type.Optional(Id),
        context: Type.Optional(anyNullableObject({ description: 'Reaches every step.' })),
        workflowState: Type.Optional(
          anyNullableObject({ description: 'The state that steps share, as it is at first.' }),
        ),
        metadata: Type.Optional(
          anyNullableObject({ description: 'Stored with the execution; the list can be filtered by it.' }),
        ),
      }),
    ),
  },
  { $id: 'RunRequest' },
);
export type RunRequest = Static<typeof RunRequest>;
