import { type Clock, monotonicTime } from '@halyard/contracts';
import type { StoredRoot } from './stored-execution.ts';

/** The lease of a runner, for everything that it has claimed. */
export class RunnerLease {
  readonly runner: string;
  readonly roots: Set<StoredRoot> = new Set();
  readonly #clock: Clock;
  /** In monotonic time: a change of the system's time must not end the lease of a runner that is alive. */
  #endsAt = -Infinity;

  constructor(runner: string, clock: Clock) {
    this.runner = runner;
    this.#clock = clock;
  }

  get hasEnded(): boolean {
    return this.#endsAt <= monotonicTime(this.#clock);
  }

  /** When it ends, in milliseconds since the epoch. Changes with the system's time. */
  get until(): number {
    return this.#clock.now() + this.#endsAt - monotonicTime(this.#clock);
  }

  extend(leaseMs: number): void {
    this.#endsAt = Math.max(this.#endsAt, monotonicTime(this.#clock) + leaseMs);
  }
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
    const live = [...this.#leases].filter(({ hasEnded }) => !hasEnded);
    const index = live.findIndex((lease) => lease.runner === runner);
    return index === -1 ? { index: 0, count: 1 } : { index, count: live.length };
  }

  /** Extends the lease of a runner, or begins one. */
  extend(runner: string, leaseMs: number): RunnerLease {
    for (const lease of this.#leases) if (lease.hasEnded && lease.roots.size === 0) this.#leases.delete(lease);
    const current = [...this.#leases].find((lease) => lease.runner === runner && !lease.hasEnded);
    const lease = current ?? new RunnerLease(runner, this.#clock);
    lease.extend(leaseMs);
    this.#leases.add(lease);
    return lease;
  }

  /** The roots whose runner has lost its lease. */
  expired(): readonly StoredRoot[] {
    return [...this.#leases].flatMap(({ hasEnded, roots }) => (hasEnded ? [...roots] : []));
  }
}
