import type { Clock, Storage } from '@halyard/contracts';
import { InMemoryApprovalStore } from './in-memory-approval-store.ts';
import { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './in-memory-execution-store.ts';

export interface InMemoryStorageOptions {
  readonly clock?: Clock;
  /** How much of what has ended is kept. */
  readonly executions?: InMemoryExecutionStoreOptions;
}

/** Everything a server stores, in this process: gone when it ends. */
export function createInMemoryStorage({
  clock = { now: Date.now },
  executions = {},
}: InMemoryStorageOptions = {}): Storage {
  return {
    approvals: new InMemoryApprovalStore(clock),
    executions: new InMemoryExecutionStore(clock, executions),
    check: async () => {},
    close: async () => {},
  };
}
