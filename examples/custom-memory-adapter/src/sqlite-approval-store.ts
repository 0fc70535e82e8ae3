import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalStore, Clock } from '@halyard/contracts';
import { toText } from './text.ts';

/** The data is durable, so the store has no `lifeId`. */
export class SqliteApprovalStore implements ApprovalStore {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async consume(approvalId: string, expiresAt: number): Promise<boolean> {
    const sql = 'INSERT INTO approvals (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
    return this.#database.prepare(sql).run(toText(approvalId), expiresAt).changes > 0;
  }

  async purge(limit: number): Promise<number> {
    const expired = 'SELECT id FROM approvals WHERE expires_at < ? ORDER BY expires_at LIMIT ?';
    const { changes } = this.#database
      .prepare(`DELETE FROM approvals WHERE id IN (${expired})`)
      .run(this.#clock.now(), limit);
    return Number(changes);
  }
}
