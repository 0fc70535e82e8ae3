import { type Clock, monotonicTime, type Runner } from '@halyard/contracts';
import type { StoredRoot } from './stored-execution.ts';

/** The lease of a runner, for everything that it has claimed. */
export interface RunnerLease {
  readonly runner: string;
  /**
   * When it ends, in monotonic time: a change of the system's time must not end the lease of a
   * runner that is alive.
   */
  endsAt: number;
  /**
   * The same in milliseconds since the epoch, for reports. Wrong after a change of the system's
   * time.
   */
  until: number;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly roots: Set<StoredRoot>;
  /** The definitions for which the runner last asked. Undefined: it has not asked. */
  definitions: ReadonlySet<string> | undefined;
}

/**
 * The leases of all runners. There are few: one for each process, and those that have run out with
 * executions that nobody has claimed since.
 */
export class RunnerLeases {
  readonly #clock: Clock;
  readonly #leases = new Set<RunnerLease>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores which definitions a runner can run, if it has a lease. */
  setDefinitions(runner: string, definitions: ReadonlySet<string>): void {
    for (const lease of this.#leases)
      if (lease.runner === runner && !this.hasEnded(lease)) lease.definitions = definitions;
  }

  /** Extends the lease of a runner, or begins one. @param now the time of day. */
  extend(runner: string, leaseMs: number, now: number): RunnerLease {
    for (const lease of this.#leases) if (lease.roots.size === 0 && this.hasEnded(lease)) this.#leases.delete(lease);
    const current = [...this.#leases].find((lease) => lease.runner === runner && !this.hasEnded(lease));
    const lease = current ?? {
      runner,
      endsAt: -Infinity,
      until: 0,
      since: now,
      roots: new Set<StoredRoot>(),
      definitions: undefined,
    };
    const endsAt = monotonicTime(this.#clock) + leaseMs;
    if (endsAt > lease.endsAt) Object.assign(lease, { endsAt, until: now + leaseMs });
    this.#leases.add(lease);
    return lease;
  }

  /** How many executions of each subject a runner runs. */
  runningOf(runner: string): Map<string | undefined, number> {
    const counts = new Map<string | undefined, number>();
    for (const { subject } of this.rootsOf(runner)) counts.set(subject, (counts.get(subject) ?? 0) + 1);
    return counts;
  }

  /** The executions of a runner. */
  rootsOf(runner: string): readonly StoredRoot[] {
    return [...this.#leases].flatMap((lease) => (lease.runner === runner ? [...lease.roots] : []));
  }

  /** The leases that are valid or have executions. */
  list(): readonly Runner[] {
    return [...this.#leases]
      .filter((lease) => lease.roots.size > 0 || !this.hasEnded(lease))
      .map((lease) => {
        const { roots, runner, since, until } = lease;
        const definitions = this.hasEnded(lease) ? [] : lease.definitions;
        return {
          runner,
          since,
          leaseUntil: until,
          executions: roots.size,
          ...(definitions !== undefined && { definitions: [...definitions] }),
        };
      });
  }

  hasEnded({ endsAt }: RunnerLease): boolean {
    return endsAt <= monotonicTime(this.#clock);
  }

  /** The roots whose runner has lost its lease. */
  expired(): readonly StoredRoot[] {
    return [...this.#leases].flatMap((lease) => (this.hasEnded(lease) ? [...lease.roots] : []));
  }
}
