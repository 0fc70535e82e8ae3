import type { Clock, Storage } from '@halyard/contracts';
import { InMemoryApprovalStore } from './in-memory-approval-store.ts';

export interface InMemoryStorageOptions {
  readonly clock?: Clock;
}

/** Everything a server stores, in this process: gone when it ends. */
export function createInMemoryStorage({ clock = { now: Date.now } }: InMemoryStorageOptions = {}): Storage {
  return {
    approvals: new InMemoryApprovalStore(clock),
    check: async () => {},
    close: async () => {},
  };
}
