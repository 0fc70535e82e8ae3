import type { Execution } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, dropping, type ExecutionFault, ownerless, returning, setting } from './execution-fault.ts';

/** Faults of lists, notifications, purges and ownership. */
export const executionListFaults: FaultTable<ExecutionFault> = {
  'returns pages of the matches, and counts all of them': returning('list', (page) => ({
    ...page,
    total: page.executions.length,
  })),
  'says whether others follow': returning('list', (page, owner, filter) => ({
    ...page,
    hasMore: page.executions.length === filter.limit,
  })),
  'ends a page where it would have more than `maxBytes`, but not before its first execution': dropping(
    'list',
    'maxBytes',
  ),
  'leaves out the later events of several executions where they would have more than `maxBytes`': passing(
    'histories',
    (owner, ids, limit) => [owner, ids, limit],
  ),
  'returns what follows an execution, also when it has changed': dropping('list', 'after'),
  'lists the runners with a lease, and lost ones as long as they have executions': returning('runners', (result) =>
    result.filter(({ executions }) => executions > 0),
  ),
  'filters by ids, together with other conditions': dropping('list', 'ids'),
  'counts no further than it is told to': setting('list', { maxTotal: Infinity }),
  // Lists executions of the same time by id.
  'lists the newest first, also those of the same time': returning('list', ({ executions, ...page }) => {
    const order = (one: Execution, other: Execution): number =>
      other.createdAt - one.createdAt || one.id.localeCompare(other.id);
    return { ...page, executions: executions.toSorted(order) };
  }),
  'notifies watchers of commits, and of resumptions, requests and rewinds as signals': () => ({
    watch: () => () => {},
  }),
  // Notifies removed watchers.
  'does not notify removed watchers, and still notifies the others': (real) => ({
    watch: (id, listener) => {
      real.watch(id, listener);
      return () => {};
    },
  }),
  'deletes at most as many executions as requested': (real) => ({
    purge: async (olderThanMs, limit) => Math.min(limit, await real.purge(olderThanMs, 1_000)),
  }),
  // Deletes one batch of events for each batch of executions.
  'deletes at most as many old events as requested, whether or not executions are deleted': (real) => {
    let isDue = true;
    return {
      purgeEvents: async (olderThanMs, limit) => {
        if (!isDue) return 0;
        isDue = false;
        return real.purgeEvents(olderThanMs, limit);
      },
      purge: (olderThanMs, limit) => {
        isDue = true;
        return real.purge(olderThanMs, limit);
      },
    };
  },
  'deletes executions that ended long enough ago, with their sub-workflows, journals and events': passing(
    'purge',
    (_olderThanMs, limit) => [0, limit],
  ),
  'finds neither executions of another user nor their journals, events and histories': ownerless(
    'find',
    'journal',
    'events',
    'histories',
  ),
  'lists and counts only data of the owner': passing('list', (_owner, filter) => ['anyone', filter]),
  'refuses to resume, rewind or send a request to an execution of another user': ownerless(
    'resume',
    'request',
    'rewind',
  ),
  'filters by workflow, status, user, time and metadata, all together': (
    ['workflowId', 'status', 'userId', 'from', 'to', 'metadata'] as const
  ).map((key) => dropping('list', key)),
};
