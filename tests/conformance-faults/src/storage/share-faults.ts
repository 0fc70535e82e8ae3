import type {
  ClaimNextOptions,
  CreateOptions,
  CreateOutcome,
  Lease,
  NewExecution,
  NextExecutions,
} from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';

/** Stores that share slots in a wrong way, and the case that must find it. */
export const shareMutations: readonly (readonly [
  fault: string,
  foundBy: string,
  store: typeof InMemoryExecutionStore,
])[] = [
  [
    'lets a subject take all slots',
    'claims executions of a subject while no more of them run than slots are free',
    class extends InMemoryExecutionStore {
      override claimNext(lease: Lease, { freeSlots: _, ...options }: ClaimNextOptions): Promise<NextExecutions> {
        return super.claimNext(lease, options);
      }
    },
  ],
  [
    'does not tell that executions are left out',
    'claims executions of a subject while no more of them run than slots are free',
    class extends InMemoryExecutionStore {
      override async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
        return { ...(await super.claimNext(lease, options)), hasLeftOut: false };
      }
    },
  ],
  [
    'shares the slots among executions without a subject',
    'lets executions without a subject take all slots, and shares them only when it is told how many are free',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, { subject: execution.userId ?? 'nobody', ...options });
      }
    },
  ],
  [
    'shares the slots only among executions of the highest priority',
    'lets no subject have more than its share by a higher priority, however many executions it has',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
        const subject = options.priority === undefined ? execution.userId : `${execution.id} urgent`;
        return super.create(execution, { ...options, subject });
      }
    },
  ],
  [
    'ignores on whose behalf an execution is created',
    'takes the user for the subject, unless the execution was created on behalf of another one',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { subject: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
  [
    'says that something is due although it is left out',
    'returns the time until another execution is due without those that are left out',
    class extends InMemoryExecutionStore {
      override async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
        const next = await super.claimNext(lease, options);
        return next.hasLeftOut ? { ...next, nextDueInMs: 0 } : next;
      }
    },
  ],
];
