import type { Owner } from '../users/owner.ts';
import type { ExecutionFilter, ExecutionPage } from './execution-index.ts';
import type { Execution } from './execution.ts';

/** Copies of the root executions that an engine stores, for lists. They may lag behind. */
export interface ExecutionMirror {
  /** Roots, newest first, as `ExecutionIndex.list`. `parentExecutionId` is null. */
  list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage>;

  /**
   * Writes a root. Replaces its copy, unless that has the same `creationId` and a higher revision.
   *
   * @param revision grows with each change of the execution.
   */
  write(root: Execution, revision: number): Promise<void>;

  remove(ids: readonly string[]): Promise<void>;

  /** The ids of at most `limit` roots that ended at or before a time, the earliest first. */
  endedBy(endedAt: number, limit: number): Promise<readonly string[]>;

  /** The ids of all roots of a user, oldest first. */
  rootsOf(userId: string): Promise<readonly string[]>;
}
