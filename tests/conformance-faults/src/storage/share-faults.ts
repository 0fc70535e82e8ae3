import type { FaultTable } from '../faults.ts';
import { passing, dropping, type ExecutionFault, returning } from './execution-fault.ts';

/** Faults of sharing slots among subjects. */
export const shareFaults: FaultTable<ExecutionFault> = {
  'claims executions of a subject while no more of them run than slots are free': [
    dropping('claimNext', 'freeSlots'),
    returning('claimNext', (result) => ({ ...result, hasLeftOut: false })),
  ],
  'lets executions without a subject take all slots, and shares them only when it is told how many are free': passing(
    'create',
    (execution, options) => [execution, { subject: execution.userId ?? 'nobody', ...options }],
  ),
  // Shares the slots only among executions of the highest priority.
  'lets no subject have more than its share by a higher priority, however many executions it has': (real) => ({
    create: (execution, options) => {
      const subject = options.priority === undefined ? execution.userId : `${execution.id} urgent`;
      return real.create(execution, { ...options, subject });
    },
  }),
  'takes the user for the subject, unless the execution was created on behalf of another one': dropping(
    'create',
    'subject',
  ),
  'returns the time until another execution is due without those that are left out': returning('claimNext', (next) =>
    next.hasLeftOut ? { ...next, nextDueInMs: 0 } : next,
  ),
};
