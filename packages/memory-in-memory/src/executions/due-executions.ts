import type { Execution } from '@halyard/contracts';
import { SortedArray } from '../sorted-array.ts';
import { ConcurrencyKeys } from './concurrency-keys.ts';
import type { StoredRoot } from './stored-execution.ts';

/** The executions that may be claimed now or later, the earliest first: those that wait for a runner, and those whose lease may expire. */
export class DueExecutions {
  readonly concurrencyKeys: ConcurrencyKeys = new ConcurrencyKeys();
  readonly #waiting = new SortedArray(compareDue);
  readonly #leased = new SortedArray(compareDue);

  /** To be called for every change of `claimableAt`, `waitingSince` or the runner; `change` makes it. */
  move(root: StoredRoot, change: () => void): void {
    this.#listOf(root).remove(root);
    this.concurrencyKeys.remove(root);
    change();
    this.concurrencyKeys.add(root);
    if (root.claimableAt !== Infinity) this.#listOf(root).add(root);
  }

  /** Makes roots due that wait for a place under these keys, as many as may run now. */
  admit(keys: readonly string[], now: number): readonly StoredRoot[] {
    const admitted: StoredRoot[] = [];
    for (const key of keys) {
      for (;;) {
        const root = this.concurrencyKeys.nextToAdmit(key, now);
        if (root === undefined) break;
        this.move(root, () => {
          root.claimableAt = now;
        });
        admitted.push(root);
      }
    }
    return admitted;
  }

  /** When the next execution with one of these definitions that has no runner is due. */
  nextDueAt(definitions: ReadonlySet<string>): number | undefined {
    for (const { claimableAt, record } of this.#waiting.ascending())
      if (definitions.has(record.definition)) return claimableAt;
    return undefined;
  }

  /** Those that may be claimed now and match, in this order; default: the longest due first. */
  due(
    now: number,
    matches: (execution: Execution) => boolean,
    limit: number,
    compare: (one: StoredRoot, other: StoredRoot) => number = compareDue,
  ): readonly StoredRoot[] {
    const due: StoredRoot[] = [];
    for (const roots of [this.#waiting, this.#leased]) {
      for (const root of roots.ascending()) {
        if (root.claimableAt > now) break;
        if (matches(root.record)) due.push(root);
      }
    }
    return due.toSorted(compare).slice(0, limit);
  }

  #listOf({ record }: StoredRoot): SortedArray<StoredRoot> {
    return record.runner === null ? this.#waiting : this.#leased;
  }
}

/** The highest priority first, then those due longest. */
export function byPriority(one: StoredRoot, other: StoredRoot): number {
  return other.record.priority - one.record.priority || compareDue(one, other);
}

function compareDue(one: StoredRoot, other: StoredRoot): number {
  return one.claimableAt - other.claimableAt || one.order - other.order;
}
