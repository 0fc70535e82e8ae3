import type { StoredRoot } from './stored-execution.ts';

/** The lease of a runner, for everything that it has claimed. */
export interface RunnerLease {
  readonly runner: string;
  /** When it runs out, in milliseconds since the epoch. */
  until: number;
  readonly roots: Set<StoredRoot>;
}

/** The leases of all runners. There are few: one for each process, and those that have run out with executions that nobody has claimed since. */
export class RunnerLeases {
  readonly #leases = new Set<RunnerLease>();

  /** The share of a runner: one of `count`. All is its share if it has no lease. */
  shareOf(runner: string, now: number): { readonly index: number; readonly count: number } {
    const live = [...this.#leases].filter(({ until }) => until > now);
    const index = live.findIndex((lease) => lease.runner === runner);
    return index === -1 ? { index: 0, count: 1 } : { index, count: live.length };
  }

  /** Extends the lease of a runner, or begins one. */
  extend(runner: string, leaseMs: number, now: number): RunnerLease {
    for (const lease of this.#leases) if (lease.until <= now && lease.roots.size === 0) this.#leases.delete(lease);
    const current = [...this.#leases].find((lease) => lease.runner === runner && lease.until > now);
    const lease = current ?? { runner, until: 0, roots: new Set<StoredRoot>() };
    lease.until = Math.max(lease.until, now + leaseMs);
    this.#leases.add(lease);
    return lease;
  }

  /** The roots whose runner has lost its lease. */
  expired(now: number): readonly StoredRoot[] {
    return [...this.#leases].flatMap(({ roots, until }) => (until <= now ? [...roots] : []));
  }
}
