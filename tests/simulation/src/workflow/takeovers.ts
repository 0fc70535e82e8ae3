import type { Execution } from '@halyard/contracts';
import { leaseMs, type SimulatedProcess } from './simulated-process.ts';
import { must } from './violation.ts';

/** The documented limit within which another process takes over. */
const takeoverMs = leaseMs + leaseMs / 3 + 1_000;

/** Checks that executions of crashed processes are taken over in time. */
export class Takeovers {
  /** Milliseconds since the epoch, by execution and claim. */
  readonly #abandonedSince = new Map<string, number>();

  /** @throws Violation */
  check(rows: readonly Execution[], living: readonly SimulatedProcess[], now: number): void {
    for (const { epoch, id, runner } of rows) {
      if (runner === null || living.some(({ name }) => name === runner)) continue;
      const key = `${id} ${epoch}`;
      const since = this.#abandonedSince.get(key) ?? now;
      this.#abandonedSince.set(key, since);
      must(now - since <= takeoverMs, () => `no process took over ${id} for ${now - since} ms`);
    }
  }
}
