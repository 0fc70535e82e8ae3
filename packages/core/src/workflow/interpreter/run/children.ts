import type { Execution, JsonValue } from '@halyard/contracts';
import { isBelow } from '../../definition/place.ts';
import type { CommitDraft } from '../commits/commit-draft.ts';
import { writeEnding } from './ending.ts';
import type { LiveExecution } from './live-execution.ts';

/**
 * The sub-workflows of an execution: those that this run has reached, and the stored rows of those
 * that started before it.
 */
export class Children {
  readonly #rows: readonly Execution[];
  readonly #live = new Map<string, LiveExecution>();
  /** Rows that were cancelled before this run reached them. */
  readonly #cancelled = new Set<string>();

  constructor(rows: readonly Execution[]) {
    this.#rows = rows;
  }

  get live(): readonly LiveExecution[] {
    return [...this.#live.values()];
  }

  row(executionId: JsonValue): Execution | undefined {
    return this.#rows.find(({ id }) => id === executionId);
  }

  /** A sub-workflow that this run has reached. */
  find(executionId: JsonValue): LiveExecution | undefined {
    return this.live.find(({ id }) => id === executionId);
  }

  add(child: LiveExecution): void {
    this.#live.set(child.id, child);
  }

  /**
   * A commit of this run has changed an execution. `seq`: the number of its last event, if it is a
   * sub-workflow.
   */
  committed(executionId: string, seq: number | undefined): void {
    const child = this.#live.get(executionId);
    if (child !== undefined && seq !== undefined) child.seq = seq;
  }

  /** The executions around a path, from the innermost out. */
  around(path: string): readonly LiveExecution[] {
    return this.live
      .filter((child) => isBelow(path, child.path))
      .toSorted((one, other) => other.path.length - one.path.length);
  }

  /**
   * Cancels the sub-workflows below a step, including those that this run has not reached.
   *
   * @returns those that this run has reached.
   */
  cancelBelow(path: string, reason: string, draft: CommitDraft, now: number): readonly LiveExecution[] {
    for (const row of this.#rows) {
      const isOpen = row.status === 'running' || row.status === 'suspended';
      if (!isOpen || this.#live.has(row.id) || this.#cancelled.has(row.id) || !isBelow(row.path, path)) continue;
      this.#cancelled.add(row.id);
      writeEnding(row, { status: 'cancelled', reason }, draft, now);
    }
    const live = this.live.filter((child) => !child.hasEnded && isBelow(child.path, path));
    for (const child of live) child.end({ status: 'cancelled', reason }, draft, now);
    return live;
  }
}
