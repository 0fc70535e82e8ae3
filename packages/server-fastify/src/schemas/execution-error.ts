import { type Static, Type } from '@sinclair/typebox';

/** What went wrong with an execution: no stack, no text of drivers or providers. */
export const ExecutionError = Type.Object(
  {
    message: Type.String(),
    stepId: Type.Optional(Type.String({ description: 'The step that failed.' })),
    code: Type.Optional(Type.String({ description: 'Stable, as in `x-error-code`.' })),
  },
  { $id: 'ExecutionError' },
);
export type ExecutionError = Static<typeof ExecutionError>;
