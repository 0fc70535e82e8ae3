import { createHash, randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { AuthProvider, Clock, User } from '@halyard/contracts';

export interface SessionAuthOptions {
  /** The file of the database, or `:memory:`. */
  readonly file: string;
  /** How long a session is valid, in milliseconds. Default: 30 days. */
  readonly sessionMs?: number;
  readonly clock?: Clock;
}

/**
 * Sessions in a database. A token is random and says nothing about its user. A session that is
 * revoked is refused from the next request on.
 *
 * The database contains hashes of tokens: whoever reads it, or a backup of it, cannot sign in with
 * them. A plain hash is enough, because nobody can guess 256 random bits.
 */
export class SessionAuth implements AuthProvider {
  readonly type = 'sessions';
  readonly #database: DatabaseSync;
  readonly #sessionMs: number;
  readonly #clock: Clock;

  constructor({ clock = { now: Date.now }, file, sessionMs = 30 * 86_400_000 }: SessionAuthOptions) {
    this.#clock = clock;
    this.#sessionMs = sessionMs;
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA busy_timeout = 5000;
      CREATE TABLE IF NOT EXISTS sessions (
        token_hash BLOB PRIMARY KEY,
        user_id TEXT NOT NULL,
        role TEXT NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS sessions_of_user ON sessions (user_id);
    `);
  }

  /**
   * Called by the server for each request that needs a user. The user is a new object each time.
   */
  verifyToken(token: string): User | null {
    if (!isToken(token)) return null;
    const session = this.#database
      .prepare('SELECT user_id, role FROM sessions WHERE token_hash = ? AND expires_at > ?')
      .get(hashOf(token), this.#clock.now());
    return session === undefined ? null : { id: String(session['user_id']), role: String(session['role']) };
  }

  /**
   * Begins a session, after your app has checked who the user is. @returns its token, which is not
   * stored
   */
  open({ id, role }: { readonly id: string; readonly role: string }): string {
    const now = this.#clock.now();
    this.#database.prepare('DELETE FROM sessions WHERE expires_at <= ?').run(now);
    const token = randomBytes(32).toString('base64url');
    this.#database
      .prepare('INSERT INTO sessions (token_hash, user_id, role, expires_at) VALUES (?, ?, ?, ?)')
      .run(hashOf(token), id, role, now + this.#sessionMs);
    return token;
  }

  /** Ends one session. */
  revoke(token: string): void {
    this.#database.prepare('DELETE FROM sessions WHERE token_hash = ?').run(hashOf(token));
  }

  /** Ends all sessions of a user, such as after a change of the password. */
  revokeAll(userId: string): void {
    this.#database.prepare('DELETE FROM sessions WHERE user_id = ?').run(userId);
  }

  close(): void {
    this.#database.close();
  }
}

/** Whether it has the form of a token, so that nothing else is hashed and searched. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\w-]{43}$/.test(token);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
