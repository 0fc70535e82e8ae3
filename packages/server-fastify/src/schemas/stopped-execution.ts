import { type Static, Type } from '@sinclair/typebox';

/** An execution that was suspended from outside. */
export const SuspendedExecution = Type.Object(
  {
    executionId: Type.String(),
    status: Type.Literal('suspended'),
    suspension: Type.Object({ suspendedAt: Type.String({ format: 'date-time' }), reason: Type.String() }),
  },
  { $id: 'SuspendedExecution' },
);
export type SuspendedExecution = Static<typeof SuspendedExecution>;

/** An execution that was cancelled. */
export const CancelledExecution = Type.Object(
  {
    executionId: Type.String(),
    status: Type.Literal('cancelled'),
    cancelledAt: Type.String({ format: 'date-time' }),
    reason: Type.String(),
  },
  { $id: 'CancelledExecution' },
);
export type CancelledExecution = Static<typeof CancelledExecution>;
