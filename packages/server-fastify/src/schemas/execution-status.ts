import { type Static, Type } from '@sinclair/typebox';

/** Where an execution stands. `running` is also one that sleeps; `suspended` waits for somebody. */
export const ExecutionStatus = Type.Unsafe<'running' | 'suspended' | 'completed' | 'error' | 'cancelled'>({
  $id: 'ExecutionStatus',
  type: 'string',
  enum: ['running', 'suspended', 'completed', 'error', 'cancelled'],
});
export type ExecutionStatus = Static<typeof ExecutionStatus>;
