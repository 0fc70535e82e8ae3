import type { Backlog, Commit, CommitOutcome } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';

const foundBy =
  'counts what can be claimed of the given definitions, at most as many as requested, and tells how long the oldest has been due';

/** Stores that report a wrong backlog, and the case that must find it. */
export const backlogMutations: readonly (readonly [
  fault: string,
  foundBy: string,
  store: typeof InMemoryExecutionStore,
])[] = [
  [
    'counts more than requested',
    foundBy,
    class extends InMemoryExecutionStore {
      override backlog(definitions: readonly string[]): Promise<Backlog> {
        return super.backlog(definitions, 1_000);
      }
    },
  ],
  [
    'counts executions of all definitions',
    foundBy,
    class extends InMemoryExecutionStore {
      override backlog(_: readonly string[], limit: number): Promise<Backlog> {
        return super.backlog(['orders', 'other'], limit);
      }
    },
  ],
  [
    'returns a longer time than the one for which an execution has been due',
    foundBy,
    class extends InMemoryExecutionStore {
      override async backlog(definitions: readonly string[], limit: number): Promise<Backlog> {
        const { count, oldestDueMs } = await super.backlog(definitions, limit);
        return { count, oldestDueMs: 2 * oldestDueMs };
      }
    },
  ],
  [
    'counts an execution as due since a time before its release',
    'counts an execution as due since its release when it is released with a time that has passed',
    class extends InMemoryExecutionStore {
      #dueAt = Infinity;
      override commit(commit: Commit): Promise<CommitOutcome> {
        this.#dueAt = Math.min(this.#dueAt, commit.release?.dueAt ?? Infinity);
        return super.commit(commit);
      }
      override async backlog(definitions: readonly string[], limit: number): Promise<Backlog> {
        const backlog = await super.backlog(definitions, limit);
        return this.#dueAt === 0 ? { ...backlog, oldestDueMs: 1e12 } : backlog;
      }
    },
  ],
  [
    'does not count what lost runners had',
    'counts what lost runners had',
    class extends InMemoryExecutionStore {
      override async backlog(definitions: readonly string[], limit: number): Promise<Backlog> {
        const { executions } = await this.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
        const held = executions.filter(({ runner }) => runner !== null).length;
        const { count, oldestDueMs } = await super.backlog(definitions, limit);
        return { count: Math.max(0, count - held), oldestDueMs };
      }
    },
  ],
];
