import { type Clock, monotonicTime } from '@halyard/contracts';
import type { StoredRoot } from './stored-execution.ts';

/** The lease of a runner, for everything that it has claimed. */
export interface RunnerLease {
  readonly runner: string;
  /** When it ends, in monotonic time: a change of the system's time must not end the lease of a runner that is alive. */
  endsAt: number;
  /** The same in milliseconds since the epoch, for reports. Wrong after a change of the system's time. */
  until: number;
  readonly roots: Set<StoredRoot>;
}

/** The leases of all runners. There are few: one for each process, and those that have run out with executions that nobody has claimed since. */
export class RunnerLeases {
  readonly #clock: Clock;
  readonly #leases = new Set<RunnerLease>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The share of a runner: one of `count`. All is its share if it has no lease. */
  shareOf(runner: string): { readonly index: number; readonly count: number } {
    const live = [...this.#leases].filter((lease) => !this.hasEnded(lease));
    const index = live.findIndex((lease) => lease.runner === runner);
    return index === -1 ? { index: 0, count: 1 } : { index, count: live.length };
  }

  /** Extends the lease of a runner, or begins one. @param now the time of day. */
  extend(runner: string, leaseMs: number, now: number): RunnerLease {
    for (const lease of this.#leases) if (lease.roots.size === 0 && this.hasEnded(lease)) this.#leases.delete(lease);
    const current = [...this.#leases].find((lease) => lease.runner === runner && !this.hasEnded(lease));
    const lease = current ?? { runner, endsAt: -Infinity, until: 0, roots: new Set<StoredRoot>() };
    const endsAt = monotonicTime(this.#clock) + leaseMs;
    if (endsAt > lease.endsAt) Object.assign(lease, { endsAt, until: now + leaseMs });
    this.#leases.add(lease);
    return lease;
  }

  /** Whether it ended, at least so long ago. */
  hasEnded({ endsAt }: RunnerLease, agoMs = 0): boolean {
    return endsAt <= monotonicTime(this.#clock) - agoMs;
  }

  /** The roots whose runner has lost its lease. */
  expired(): readonly StoredRoot[] {
    return [...this.#leases].flatMap((lease) => (this.hasEnded(lease) ? [...lease.roots] : []));
  }
}
