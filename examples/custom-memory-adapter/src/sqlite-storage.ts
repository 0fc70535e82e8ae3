import type { Clock, Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { openDatabase } from './open-database.ts';
import { SqliteApprovalStore } from './sqlite-approval-store.ts';
import { SqliteAuditLog } from './sqlite-audit-log.ts';
import { SqliteConversationStore } from './sqlite-conversation-store.ts';
import { SqliteUserDataStore } from './sqlite-user-data-store.ts';
import { SqliteWorkingMemoryStore } from './sqlite-working-memory-store.ts';

export interface SqliteStorageOptions {
  /**
   * The database file, created when it is missing. Default: `:memory:`, which is deleted when the
   * storage is closed.
   */
  readonly file?: string;
  readonly clock?: Clock;
}

/**
 * Conversations, working memory, used approvals and the audit trail in one SQLite file. Executions of workflows are
 * stored in this process.
 */
export function createSqliteStorage({
  file = ':memory:',
  clock = { now: Date.now },
}: SqliteStorageOptions = {}): Storage {
  const database = openDatabase(file);
  const { executions, users } = createInMemoryStorage({ clock });
  return {
    approvals: new SqliteApprovalStore(database, clock),
    audit: new SqliteAuditLog(database),
    conversations: new SqliteConversationStore(database, clock),
    executions,
    users: new SqliteUserDataStore(database, users),
    workingMemory: new SqliteWorkingMemoryStore(database),
    check: async () => void database.prepare('SELECT count(*) FROM conversations').get(),
    close: async () => database.close(),
  };
}
