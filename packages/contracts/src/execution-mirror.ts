import type { ExecutionIndex } from './execution-index.ts';
import type { Execution } from './execution.ts';

/** Rows of executions that an engine stores, for lists. They may be older than the engine's. */
export interface ExecutionMirror extends Pick<ExecutionIndex, 'list'> {
  /**
   * Writes a root and its sub-workflows: all of them, the root first. Replaces their rows, unless
   * these have the same `creationId` and a higher revision.
   *
   * @param revision grows with each change of the tree.
   */
  write(tree: readonly Execution[], revision: number): Promise<void>;

  /** Deletes roots with their sub-workflows. */
  remove(rootIds: readonly string[]): Promise<void>;

  /** The ids of at most `limit` roots that ended at or before a time, the earliest first. */
  endedBy(endedAt: number, limit: number): Promise<readonly string[]>;

  /** The ids of all roots of a user, oldest first. */
  rootsOf(userId: string): Promise<readonly string[]>;
}
