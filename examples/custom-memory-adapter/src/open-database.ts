import { DatabaseSync } from 'node:sqlite';

/** Messages are ordered by their time: no two messages of a conversation have the same. */
const schema = `
  CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY,
    resource_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    metadata TEXT NOT NULL,
    working_memory TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS conversations_of_user ON conversations (user_id, updated_at, id);

  CREATE TABLE IF NOT EXISTS messages (
    conversation_id TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    parts TEXT NOT NULL,
    metadata TEXT,
    PRIMARY KEY (conversation_id, created_at),
    UNIQUE (conversation_id, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS user_notes (user_id TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS approvals (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS approvals_by_expiry ON approvals (expires_at);

  CREATE TABLE IF NOT EXISTS open_approvals (
    id TEXT PRIMARY KEY,
    user_id TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    request TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS open_approvals_by_expiry ON open_approvals (expires_at);
  CREATE TABLE IF NOT EXISTS approver_keys (
    key TEXT NOT NULL,
    id TEXT NOT NULL REFERENCES open_approvals ON DELETE CASCADE,
    PRIMARY KEY (key, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS approval_decisions (
    id TEXT PRIMARY KEY,
    user_id TEXT,
    expires_at INTEGER NOT NULL,
    decisions TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS approval_decisions_by_expiry ON approval_decisions (expires_at);

  CREATE TABLE IF NOT EXISTS audit_log (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    user_id TEXT,
    action TEXT NOT NULL,
    target_ids TEXT NOT NULL,
    record TEXT NOT NULL,
    outcome TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS audit_log_of_actor ON audit_log (user_id, id);
  CREATE INDEX IF NOT EXISTS audit_log_by_time ON audit_log (at);
`;

/**
 * Opens the database in this file, and creates it when it is missing. A database `:memory:` is
 * deleted when it is closed.
 */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;',
  );
  database.exec(schema);
  return database;
}
