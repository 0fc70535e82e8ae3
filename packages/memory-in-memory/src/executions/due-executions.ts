import type { Execution } from '@halyard/contracts';
import { SortedArray } from '../sorted-array.ts';
import type { StoredRoot } from './stored-execution.ts';

/** The executions that may be claimed now or later, the earliest first: those that wait for a runner, and those whose lease may expire. */
export class DueExecutions {
  readonly #waiting = new SortedArray(compareDue);
  readonly #leased = new SortedArray(compareDue);

  /** To be called for every change of `claimableAt` or of the runner; `change` makes it. */
  move(root: StoredRoot, change: () => void): void {
    this.#listOf(root).remove(root);
    change();
    if (root.claimableAt !== Infinity) this.#listOf(root).add(root);
  }

  /** When the next execution with one of these definitions that has no runner is due. */
  nextDueAt(definitions: ReadonlySet<string>): number | undefined {
    for (const { claimableAt, record } of this.#waiting.ascending())
      if (definitions.has(record.definition)) return claimableAt;
    return undefined;
  }

  /** Those that may be claimed now and match, the longest due first. */
  due(now: number, matches: (execution: Execution) => boolean, limit: number): readonly StoredRoot[] {
    const due: StoredRoot[] = [];
    for (const roots of [this.#waiting, this.#leased]) {
      for (const root of roots.ascending()) {
        if (root.claimableAt > now) break;
        if (matches(root.record)) due.push(root);
      }
    }
    return due.toSorted(compareDue).slice(0, limit);
  }

  #listOf({ record }: StoredRoot): SortedArray<StoredRoot> {
    return record.runner === null ? this.#waiting : this.#leased;
  }
}

function compareDue(one: StoredRoot, other: StoredRoot): number {
  return one.claimableAt - other.claimableAt || one.order - other.order;
}
