import type {
  ClaimedExecution,
  ClaimNextOptions,
  ClaimOptions,
  Commit,
  CommitOutcome,
  CreateOptions,
  CreateOutcome,
  Lease,
  NewExecution,
  NextExecutions,
  Quarantine,
  RewindRequest,
  Termination,
  Owner,
} from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';

type Store = typeof InMemoryExecutionStore;

/** Hides what became due because a place was freed. */
class Forgetful extends InMemoryExecutionStore {
  #hasForgotten = false;

  protected async forgetting<Result>(result: Promise<Result>, isFreed = true): Promise<Result> {
    this.#hasForgotten ||= isFreed;
    return result;
  }

  override async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
    if (this.#hasForgotten) return { claimed: [], exhausted: [], hasLeftOut: false, nextDueInMs: undefined };
    return super.claimNext(lease, options);
  }
}

/** Announces nothing that is due because of some calls. */
class Silent extends InMemoryExecutionStore {
  #isSilent = false;

  protected async silently<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isSilent = true;
    const result = await work();
    this.#isSilent = false;
    return result;
  }

  override announceDue(): void {
    if (!this.#isSilent) super.announceDue();
  }
}

const isAnnounced =
  'notifies those that watch for what is due when a termination, a rewind or a quarantine frees a place';
const isFreedBy =
  'makes as many waiting executions due as places are free: the highest priority first, then those that have waited longest';

/** Stores that forget those that wait for a place, or hand places out in a wrong way, and the case that must find it. */
export const placeMutations: readonly (readonly [fault: string, foundBy: string, store: Store])[] = [
  [
    'makes nothing due when an execution ends',
    isFreedBy,
    class extends Forgetful {
      override commit(commit: Commit): Promise<CommitOutcome> {
        return this.forgetting(super.commit(commit));
      }
    },
  ],
  [
    'makes nothing due when an execution is suspended or sleeps',
    'frees the place of an execution that is suspended, sleeps or is quarantined',
    class extends Forgetful {
      override commit(commit: Commit): Promise<CommitOutcome> {
        return this.forgetting(super.commit(commit), commit.release !== undefined);
      }
    },
  ],
  [
    'makes nothing due when an execution is quarantined',
    'frees the place of an execution that is suspended, sleeps or is quarantined',
    class extends Forgetful {
      override quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
        return this.forgetting(super.quarantine(id, quarantine));
      }
    },
  ],
  [
    'makes nothing due when an execution is terminated',
    'gives the place of a terminated execution to another one, and its singleton key too',
    class extends Forgetful {
      override terminate(owner: Owner, id: string, termination: Termination) {
        return this.forgetting(super.terminate(owner, id, termination));
      }
    },
  ],
  [
    'makes nothing due when a claim takes the place of a lost runner from its execution',
    'frees the place of a process that died when its lease has ended and its execution is claimed by its id',
    class extends Forgetful {
      override async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
        const before = await this.find('anyone', id);
        const claimed = await super.claim(id, lease, options);
        return this.forgetting(Promise.resolve(claimed), claimed === undefined && before?.runner !== null);
      }
    },
  ],
  [
    'does not announce that a termination has freed a place',
    isAnnounced,
    class extends Silent {
      override terminate(owner: Owner, id: string, termination: Termination) {
        return this.silently(() => super.terminate(owner, id, termination));
      }
    },
  ],
  [
    'does not announce that a rewind has freed a place',
    isAnnounced,
    class extends Silent {
      override rewind(owner: Owner, rewind: RewindRequest) {
        return this.silently(() => super.rewind(owner, rewind));
      }
    },
  ],
  [
    'does not announce that a quarantine has freed a place',
    isAnnounced,
    class extends Silent {
      override quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
        return this.silently(() => super.quarantine(id, quarantine));
      }
    },
  ],
  [
    'keeps the place of an execution that is rewound',
    'frees the place of an execution that is rewound or forgotten by its runner',
    class extends InMemoryExecutionStore {
      override async rewind(owner: Owner, rewind: RewindRequest) {
        const outcome = await super.rewind(owner, rewind);
        await this.claim(rewind.executionId, { runner: 'a', leaseMs: 600_000 });
        return outcome;
      }
    },
  ],
  [
    'wakes those that wait in the order of time, whatever their priorities are',
    isFreedBy,
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { priority: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
  [
    'lets executions of all definitions wait for each other',
    'lets executions that no process can run keep no place from those of other definitions',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { definition: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
];
