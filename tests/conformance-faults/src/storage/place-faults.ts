import type { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import type { ExecutionFault, MethodFaults } from './execution-fault.ts';

type Around = <Result>(work: () => Promise<Result>) => Promise<Result>;
type Forgetting = <Result>(result: Promise<Result>, isFreed?: boolean) => Promise<Result>;

/** Hides what became due because a place was freed. */
function forgetful(
  fault: (real: InMemoryExecutionStore, forgetting: Forgetting) => Partial<InMemoryExecutionStore>,
): MethodFaults {
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
): MethodFaults {
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

const isAnnounced =
  'notifies those that watch for what is due when a termination, a rewind or a quarantine frees a place';
const isFreedBy =
  'makes as many waiting executions due as places are free: the highest priority first, then those that have waited longest';

/**
 * Stores that forget those that wait for a place, or hand places out in a wrong way, and the case
 * that must find it.
 */
export const placeMutations: readonly ExecutionFault[] = [
  [
    'makes nothing due when an execution ends',
    isFreedBy,
    forgetful((real, forgetting) => ({ commit: (commit) => forgetting(real.commit(commit)) })),
  ],
  [
    'makes nothing due when an execution is suspended or sleeps',
    'frees the place of an execution that is suspended, sleeps or is quarantined',
    forgetful((real, forgetting) => ({
      commit: (commit) => forgetting(real.commit(commit), commit.release !== undefined),
    })),
  ],
  [
    'makes nothing due when an execution is quarantined',
    'frees the place of an execution that is suspended, sleeps or is quarantined',
    forgetful((real, forgetting) => ({ quarantine: (id, quarantine) => forgetting(real.quarantine(id, quarantine)) })),
  ],
  [
    'makes nothing due when an execution is terminated',
    'gives the place of a terminated execution to another one, and its singleton key too',
    forgetful((real, forgetting) => ({
      terminate: (owner, id, termination) => forgetting(real.terminate(owner, id, termination)),
    })),
  ],
  [
    'makes nothing due when a claim takes the place of a lost runner from its execution',
    'frees the place of a process that died when its lease has ended and its execution is claimed by its id',
    forgetful((real, forgetting) => ({
      claim: async (id, lease, options) => {
        const before = await real.find('anyone', id);
        const claimed = await real.claim(id, lease, options);
        return forgetting(Promise.resolve(claimed), claimed === undefined && before?.runner !== null);
      },
    })),
  ],
  [
    'does not announce that a termination has freed a place',
    isAnnounced,
    silent((real, silently) => ({
      terminate: (owner, id, termination) => silently(() => real.terminate(owner, id, termination)),
    })),
  ],
  [
    'does not announce that a rewind has freed a place',
    isAnnounced,
    silent((real, silently) => ({ rewind: (owner, rewind) => silently(() => real.rewind(owner, rewind)) })),
  ],
  [
    'does not announce that a quarantine has freed a place',
    isAnnounced,
    silent((real, silently) => ({ quarantine: (id, quarantine) => silently(() => real.quarantine(id, quarantine)) })),
  ],
  [
    'keeps the place of an execution that is rewound',
    'frees the place of an execution that is rewound or forgotten by its runner',
    (real) => ({
      rewind: async (owner, rewind) => {
        const outcome = await real.rewind(owner, rewind);
        await real.claim(rewind.executionId, { runner: 'a', leaseMs: 600_000 });
        return outcome;
      },
    }),
  ],
  [
    'wakes those that wait in the order of time, whatever their priorities are',
    isFreedBy,
    (real) => ({ create: (execution, { priority: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'lets executions of all definitions wait for each other',
    'lets executions that no process can run keep no place from those of other definitions',
    (real) => ({ create: (execution, { definition: _, ...options }) => real.create(execution, options) }),
  ],
];
