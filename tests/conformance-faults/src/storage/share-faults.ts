import type { ExecutionFault } from './execution-fault.ts';

/** Stores that share slots in a wrong way, and the case that must find it. */
export const shareMutations: readonly ExecutionFault[] = [
  [
    'lets a subject take all slots',
    'claims executions of a subject while no more of them run than slots are free',
    (real) => ({ claimNext: (lease, { freeSlots: _, ...options }) => real.claimNext(lease, options) }),
  ],
  [
    'does not tell that executions are left out',
    'claims executions of a subject while no more of them run than slots are free',
    (real) => ({
      claimNext: async (lease, options) => ({ ...(await real.claimNext(lease, options)), hasLeftOut: false }),
    }),
  ],
  [
    'shares the slots among executions without a subject',
    'lets executions without a subject take all slots, and shares them only when it is told how many are free',
    (real) => ({
      create: (execution, options) => real.create(execution, { subject: execution.userId ?? 'nobody', ...options }),
    }),
  ],
  [
    'shares the slots only among executions of the highest priority',
    'lets no subject have more than its share by a higher priority, however many executions it has',
    (real) => ({
      create: (execution, options) => {
        const subject = options.priority === undefined ? execution.userId : `${execution.id} urgent`;
        return real.create(execution, { ...options, subject });
      },
    }),
  ],
  [
    'ignores on whose behalf an execution is created',
    'takes the user for the subject, unless the execution was created on behalf of another one',
    (real) => ({ create: (execution, { subject: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'says that something is due although it is left out',
    'returns the time until another execution is due without those that are left out',
    (real) => ({
      claimNext: async (lease, options) => {
        const next = await real.claimNext(lease, options);
        return next.hasLeftOut ? { ...next, nextDueInMs: 0 } : next;
      },
    }),
  ],
];
