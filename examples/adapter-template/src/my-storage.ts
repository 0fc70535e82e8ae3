import type { Clock, Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { MyApprovalStore } from './my-approval-store.ts';
import { openDatabase } from './open-database.ts';

export interface MyStorageOptions {
  readonly clock?: Clock;
}

/**
 * A storage with its own approvals. Every other store is still in memory: replace one after the
 * other.
 */
export function createMyStorage({ clock = { now: Date.now } }: MyStorageOptions = {}): Storage {
  const database = openDatabase();
  const rest = createInMemoryStorage({ clock });
  const approvals = new MyApprovalStore(database, clock);
  return {
    ...rest,
    approvals,
    users: {
      export: (userId) => rest.users.export(userId),
      delete: async (userId) => {
        approvals.deleteUser(userId);
        return rest.users.delete(userId);
      },
    },
    check: async () => {
      await rest.check();
      database.check();
    },
    close: async () => {
      await rest.close();
      database.close();
    },
  };
}
