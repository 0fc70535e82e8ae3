import type { Execution, ExecutionFilter, ExecutionMirror, ExecutionPage, Owner } from '@halyard/contracts';
import { pageOf } from './page-of.ts';

interface MirroredTree {
  readonly root: Execution;
  readonly tree: readonly Execution[];
  readonly revision: number;
}

/** Rows of an engine's executions in this process: an app of one process, or a test, has them. */
export class InMemoryExecutionMirror implements ExecutionMirror {
  /** In the order of creation. */
  readonly #trees = new Map<string, MirroredTree>();

  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    const { parentExecutionId } = filter;
    const rows = [...this.#trees.values()].flatMap(({ root, tree }) =>
      parentExecutionId === null ? root : tree.filter((one) => one.parentExecutionId === parentExecutionId),
    );
    const sorted = rows.toSorted((one, other) => one.createdAt - other.createdAt);
    return pageOf(sorted, owner, filter);
  }

  async write(tree: readonly Execution[], revision: number): Promise<void> {
    const [root] = tree;
    if (root === undefined) return;
    const before = this.#trees.get(root.id);
    if (before?.root.creationId === root.creationId && before.revision > revision) return;
    this.#trees.set(root.id, { root, tree, revision });
  }

  async remove(rootIds: readonly string[]): Promise<void> {
    for (const id of rootIds) this.#trees.delete(id);
  }

  async endedBy(endedAt: number, limit: number): Promise<readonly string[]> {
    return [...this.#trees.values()]
      .flatMap(({ root }) =>
        root.endedAt !== null && root.endedAt <= endedAt ? { id: root.id, at: root.endedAt } : [],
      )
      .toSorted((one, other) => one.at - other.at)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async rootsOf(userId: string): Promise<readonly string[]> {
    return [...this.#trees.values()].flatMap(({ root }) => (root.userId === userId ? root.id : []));
  }
}
