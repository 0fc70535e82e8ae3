import type { Execution, JsonValue } from '@halyard/contracts';
import type { CommitDraft } from '../commits/commit-draft.ts';
import { isBelow } from '../waits/waits.ts';
import { writeEnding } from './ending.ts';
import type { LiveExecution } from './live-execution.ts';
import { SparseMap } from './sparse-map.ts';

/** The sub-workflows of an executionRun: those that run in it, and the rows of those that began before it. */
export class Children {
  readonly #rows: readonly Execution[];
  readonly #live = new SparseMap<string, LiveExecution>();
  #cancelled: Set<string> | undefined;

  constructor(rows: readonly Execution[]) {
    this.#rows = rows;
  }

  /** Whether there is none at all, as in most executions. */
  get isEmpty(): boolean {
    return this.#rows.length === 0 && this.#live.size === 0;
  }

  get live(): Iterable<LiveExecution> {
    return this.#live.values();
  }

  row(executionId: JsonValue): Execution | undefined {
    return this.#rows.find(({ id }) => id === executionId);
  }

  add(child: LiveExecution): void {
    this.#live.set(child.id, child);
  }

  /** The executions that a path runs through, from the innermost out. */
  around(path: string): readonly LiveExecution[] {
    return this.#live
      .values()
      .filter((child) => isBelow(path, child.path))
      .toSorted((one, other) => other.path.length - one.path.length);
  }

  /**
   * Sub-workflows inside a step that nobody waits for any more end, also those that this executionRun has not come to yet.
   *
   * @returns those that it has come to.
   */
  cancelBelow(path: string, reason: string, draft: CommitDraft, now: number): readonly LiveExecution[] {
    for (const row of this.#rows) {
      const isOpen = row.status === 'running' || row.status === 'suspended';
      if (!isOpen || this.#live.has(row.id) || this.#cancelled?.has(row.id) === true || !isBelow(row.path, path))
        continue;
      (this.#cancelled ??= new Set()).add(row.id);
      writeEnding(row, { status: 'cancelled', reason }, draft, now);
    }
    const live = this.#live.values().filter((child) => !child.hasEnded && isBelow(child.path, path));
    for (const child of live) child.end({ status: 'cancelled', reason }, draft, now);
    return live;
  }
}
