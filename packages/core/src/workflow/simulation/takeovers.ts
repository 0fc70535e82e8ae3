import type { Execution } from '@halyard/contracts';
import { leaseMs, type SimulatedProcess } from './simulated-process.ts';
import { must } from './violation.ts';

/** The time bound of a takeover. */
const takeoverMs = leaseMs + leaseMs / 3 + 1_000;

/** Checks that executions of a dead process are taken over in time. */
export class Takeovers {
  /** By execution and epoch. */
  readonly #leftSince = new Map<string, number>();

  /** @throws Violation */
  check(rows: readonly Execution[], living: readonly SimulatedProcess[], now: number): void {
    for (const { epoch, id, runner } of rows) {
      if (runner === null || living.some(({ name }) => name === runner)) continue;
      const key = `${id} ${epoch}`;
      const since = this.#leftSince.get(key) ?? now;
      this.#leftSince.set(key, since);
      must(now - since <= takeoverMs, () => `${id} was not taken over for ${now - since} ms`);
    }
  }
}
