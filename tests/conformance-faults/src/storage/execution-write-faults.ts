import type { FaultTable } from '../faults.ts';
import { dropping, type ExecutionFault, returning, setting } from './execution-fault.ts';

/** Faults of creations and commits. */
export const executionWriteFaults: FaultTable<ExecutionFault> = {
  'creates an execution that is due later and cannot be claimed before': dropping('create', 'dueInMs'),
  'tells the executions apart that have the same id one after the other': returning('find', (execution, owner, id) => ({
    ...execution,
    creationId: id,
  })),
  // Accepts a commit for the deleted execution that had the id before.
  'writes nothing for a runner whose execution was deleted, when its id is used again': (real) => ({
    commit: async (commit) => {
      const { creationId = '' } = (await real.find('anyone', commit.executionId)) ?? {};
      return real.commit({ ...commit, creationId });
    },
  }),
  'writes nothing for a runner whose execution was taken over': (real) => ({
    commit: async (commit) =>
      real.commit({ ...commit, epoch: (await real.find('anyone', commit.executionId))?.epoch ?? 0 }),
  }),
  'writes nothing when a commit expects another last event': (real) => ({
    commit: async (commit) =>
      real.commit({ ...commit, expectedSeq: (await real.find('anyone', commit.executionId))?.seq ?? 0 }),
  }),
  // Ignores the expected signals of a release.
  'writes nothing when a release has missed a signal': (real) => ({
    commit: async (commit) => {
      if (commit.release === undefined) return real.commit(commit);
      const expectedSignals = (await real.find('anyone', commit.executionId))?.signals ?? 0;
      return real.commit({ ...commit, release: { ...commit.release, expectedSignals } });
    },
  }),
  'writes entries, events, sub-workflows, suspensions, timers and state in one commit': (
    ['entries', 'suspensions', 'timers', 'changes'] as const
  ).map((part) => setting('commit', { [part]: [] })),
  'runs at most as many executions of a key at the same time as its limit, and the others wait without being due':
    dropping('create', 'concurrency'),
  'stores the priority of an execution, and hands out the highest priority first': dropping('create', 'priority'),
  'skips a start while an execution with its singleton key has not ended, whatever that one does': dropping(
    'create',
    'singleton',
  ),
  'delays starts so that no more than the limit of a throttle are due within its period': dropping(
    'create',
    'throttle',
  ),
  // Delays debounced starts without a limit.
  'delays a start by its debounce, but not for longer than allowed after the first that has not been claimed': (
    real,
  ) => ({
    create: (execution, options) => {
      const { debounce } = options;
      return real.create(execution, {
        ...options,
        ...(debounce && { debounce: { key: debounce.key, delayMs: debounce.delayMs } }),
      });
    },
  }),
  'requests the cancellation of older executions with the same singleton key, once': () => ({
    supersede: async () => [],
  }),
  'settles exactly the given paths, before it adds the suspensions and timers of the commit': setting('commit', {
    settled: [],
  }),
  // Writes a commit twice that is sent twice.
  'writes a repeated commit once, with the same result': (real) => {
    let sent = 0;
    return {
      commit: async (commit) => {
        sent += 1;
        const { seq = 0 } = (await real.find('anyone', commit.executionId)) ?? {};
        return real.commit({ ...commit, commitId: `sent ${sent}`, expectedSeq: seq });
      },
    };
  },
  // Numbers events by a counter that a refused commit has moved on.
  'numbers events from 1 without gaps in each execution, whatever else is written': (real) => {
    const gaps: { readonly id: string; readonly after: number; readonly size: number }[] = [];
    return {
      commit: async (commit) => {
        const outcome = await real.commit(commit);
        if (outcome.status !== 'committed') {
          for (const { id, events } of commit.changes) {
            gaps.push({ id, after: (await real.find('anyone', id))?.seq ?? 0, size: events.length });
          }
        }
        return outcome;
      },
      events: async (owner, id, range) => {
        const gapsBefore = (seq: number): number =>
          gaps.reduce((sum, gap) => sum + (gap.id === id && gap.after < seq ? gap.size : 0), 0);
        const events = await real.events(owner, id, range);
        return events.map(({ seq, event }) => ({ seq: seq + gapsBefore(seq), event }));
      },
    };
  },
};
