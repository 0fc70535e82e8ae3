import type { FaultTable } from '../faults.ts';
import { passing, type ExecutionFault } from './execution-fault.ts';

/** Faults of the backlog. */
export const backlogFaults: FaultTable<ExecutionFault> = {
  'counts what can be claimed of the given definitions, at most as many as requested, and tells how long the oldest has been due':
    [
      passing('backlog', (definitions) => [definitions, 1_000]),
      passing('backlog', (_, limit) => [['orders', 'other'], limit]),
    ],
  // Counts an execution as due since a time before its release.
  'counts an execution as due since its release when it is released with a time that has passed': (real) => {
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
  // Does not count what lost runners had.
  'counts what lost runners had': (real) => ({
    backlog: async (definitions, limit) => {
      const { executions } = await real.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
      const held = executions.filter(({ runner }) => runner !== null).length;
      const { count, oldestDueMs } = await real.backlog(definitions, limit);
      return { count: Math.max(0, count - held), oldestDueMs };
    },
  }),
};
