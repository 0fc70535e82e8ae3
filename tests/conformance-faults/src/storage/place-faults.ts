import type { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import type { FaultTable } from '../faults.ts';
import { dropping, type ExecutionFault } from './execution-fault.ts';

/** Faults of handing out the places of a concurrency key. */
export const placeFaults: FaultTable<ExecutionFault> = {
  'frees the place of an execution that is suspended, sleeps or is quarantined': forgetful((real, forgetting) => ({
    quarantine: (id, quarantine) => forgetting(real.quarantine(id, quarantine)),
  })),
  'gives the place of a terminated execution to another one, and its singleton key too': forgetful(
    (real, forgetting) => ({
      terminate: (owner, id, termination) => forgetting(real.terminate(owner, id, termination)),
    }),
  ),
  // Makes nothing due when a claim takes the place of a lost runner from its execution.
  'frees the place of a process that died when its lease has ended and its execution is claimed by its id': forgetful(
    (real, forgetting) => ({
      claim: async (id, lease, options) => {
        const before = await real.find('anyone', id);
        const claimed = await real.claim(id, lease, options);
        return forgetting(Promise.resolve(claimed), claimed === undefined && before?.runner !== null);
      },
    }),
  ),
  'notifies those that watch for what is due when a termination, a rewind or a quarantine frees a place': silent(
    (real, silently) => ({
      rewind: (owner, rewind) => silently(() => real.rewind(owner, rewind)),
    }),
  ),
  // Keeps the place of an execution that is rewound.
  'frees the place of an execution that is rewound or forgotten by its runner': (real) => ({
    rewind: async (owner, rewind) => {
      const outcome = await real.rewind(owner, rewind);
      await real.claim(rewind.executionId, { runner: 'a', leaseMs: 600_000 });
      return outcome;
    },
  }),
  'makes as many waiting executions due as places are free: the highest priority first, then those that have waited longest':
    dropping('create', 'priority'),
  'lets executions that no process can run keep no place from those of other definitions': dropping(
    'create',
    'definition',
  ),
};

type Around = <Result>(work: () => Promise<Result>) => Promise<Result>;

type Forgetting = <Result>(result: Promise<Result>, isFreed?: boolean) => Promise<Result>;

/** Hides what became due because a place was freed. */
function forgetful(
  fault: (real: InMemoryExecutionStore, forgetting: Forgetting) => Partial<InMemoryExecutionStore>,
): ExecutionFault {
  return (real) => {
    let hasForgotten = false;
    return {
      claimNext: async (lease, options) =>
        hasForgotten
          ? { claimed: [], exhausted: [], hasLeftOut: false, nextDueInMs: undefined }
          : real.claimNext(lease, options),
      ...fault(real, async (result, isFreed = true) => {
        hasForgotten ||= isFreed;
        return result;
      }),
    };
  };
}

/** Announces nothing that is due because of some calls. */
function silent(
  fault: (real: InMemoryExecutionStore, silently: Around) => Partial<InMemoryExecutionStore>,
): ExecutionFault {
  return (real) => {
    let isSilent = false;
    return {
      announceDue: () => {
        if (!isSilent) real.announceDue();
      },
      ...fault(real, async (work) => {
        isSilent = true;
        const result = await work();
        isSilent = false;
        return result;
      }),
    };
  };
}
