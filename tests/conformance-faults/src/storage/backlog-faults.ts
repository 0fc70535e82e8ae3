import type { ExecutionFault } from './execution-fault.ts';

const foundBy =
  'counts what can be claimed of the given definitions, at most as many as requested, and tells how long the oldest has been due';

/** Stores that report a wrong backlog, and the case that must find it. */
export const backlogMutations: readonly ExecutionFault[] = [
  ['counts more than requested', foundBy, (real) => ({ backlog: (definitions) => real.backlog(definitions, 1_000) })],
  [
    'counts executions of all definitions',
    foundBy,
    (real) => ({ backlog: (_, limit) => real.backlog(['orders', 'other'], limit) }),
  ],
  [
    'returns a longer time than the one for which an execution has been due',
    foundBy,
    (real) => ({
      backlog: async (definitions, limit) => {
        const { count, oldestDueMs } = await real.backlog(definitions, limit);
        return { count, oldestDueMs: 2 * oldestDueMs };
      },
    }),
  ],
  [
    'counts an execution as due since a time before its release',
    'counts an execution as due since its release when it is released with a time that has passed',
    (real) => {
      let dueAt = Infinity;
      return {
        commit: (commit) => {
          dueAt = Math.min(dueAt, commit.release?.dueAt ?? Infinity);
          return real.commit(commit);
        },
        backlog: async (definitions, limit) => {
          const backlog = await real.backlog(definitions, limit);
          return dueAt === 0 ? { ...backlog, oldestDueMs: 1e12 } : backlog;
        },
      };
    },
  ],
  [
    'does not count what lost runners had',
    'counts what lost runners had',
    (real) => ({
      backlog: async (definitions, limit) => {
        const { executions } = await real.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
        const held = executions.filter(({ runner }) => runner !== null).length;
        const { count, oldestDueMs } = await real.backlog(definitions, limit);
        return { count: Math.max(0, count - held), oldestDueMs };
      },
    }),
  ],
];
