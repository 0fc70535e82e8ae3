import type { ExecutionLeases } from '@halyard/contracts';

/** Of executions that an engine drives: nothing is claimed by asking, and no lease is renewed. */
export const noLeases: ExecutionLeases = {
  claimNext: async () => ({ claimed: [], exhausted: [], nextDueInMs: undefined, hasLeftOut: false }),
  renew: async () => [],
  backlog: async () => ({ count: 0, oldestDueMs: 0 }),
  dueElsewhere: async () => [],
  announceDue: () => {},
  watchDue: () => () => {},
};
