import type { OverdueExecution } from '@halyard/contracts';

/** What a runtime is working on. */
export interface WorkflowLoad extends Backlog {
  /** Executions that run in this process, which holds their leases. */
  readonly running: number;
  /** Executions that wait for a slot of this process. */
  readonly waiting: number;
}

export interface Backlog {
  /** Executions that were due at the last sweep of this process and had not been claimed: 1 000 at most, and only its share. */
  readonly due: number;
  /** How long the oldest of them has been due; 0 if there is none. */
  readonly oldestDueMs: number;
}

/** Reads what is due, and remembers how much it was. */
export class DueReader {
  /** The executions that have run here during each read. */
  readonly #ranDuringReads = new Set<Set<string>>();
  #count = 0;
  #oldestAt = Infinity;

  /** What is due, without executions that are local or have run here since it was read. */
  async read(
    read: () => Promise<readonly OverdueExecution[]>,
    isLocal: (executionId: string) => boolean,
  ): Promise<readonly OverdueExecution[]> {
    const ran = new Set<string>();
    this.#ranDuringReads.add(ran);
    try {
      const due = (await read()).filter(({ executionId }) => !ran.has(executionId) && !isLocal(executionId));
      this.#count = due.length;
      this.#oldestAt = due.reduce((oldest, { dueAt }) => Math.min(oldest, dueAt), Infinity);
      return due;
    } finally {
      this.#ranDuringReads.delete(ran);
    }
  }

  /** To be called when an execution has run here. */
  hasRun(executionId: string): void {
    for (const ran of this.#ranDuringReads) ran.add(executionId);
  }

  /** What the last read has found. */
  backlog(now: number): Backlog {
    return { due: this.#count, oldestDueMs: Math.max(0, now - this.#oldestAt) };
  }
}
