import type { Execution, ExecutionFilter, ExecutionMirror, ExecutionPage, Owner } from '@halyard/contracts';
import { pageOf } from './page-of.ts';

interface Copy {
  readonly root: Execution;
  readonly revision: number;
}

/** Copies of an engine's executions in this process, for an app of one process, and for tests. */
export class InMemoryExecutionMirror implements ExecutionMirror {
  readonly #copies = new Map<string, Copy>();

  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    return pageOf(this.#sorted(), owner, filter);
  }

  async write(root: Execution, revision: number): Promise<void> {
    const before = this.#copies.get(root.id);
    if (before?.root.creationId === root.creationId && before.revision > revision) return;
    this.#copies.set(root.id, { root, revision });
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#copies.delete(id);
  }

  async endedBy(endedAt: number, limit: number): Promise<readonly string[]> {
    const ended = [...this.#copies.values()].filter(({ root }) => (root.endedAt ?? Infinity) <= endedAt);
    return ended
      .toSorted((one, other) => (one.root.endedAt ?? 0) - (other.root.endedAt ?? 0))
      .slice(0, limit)
      .map(({ root }) => root.id);
  }

  async rootsOf(userId: string): Promise<readonly string[]> {
    return this.#sorted().flatMap((root) => (root.userId === userId ? root.id : []));
  }

  /** Oldest first. */
  #sorted(): readonly Execution[] {
    return [...this.#copies.values()].map(({ root }) => root).toSorted((one, other) => one.createdAt - other.createdAt);
  }
}
