import { randomUUID } from 'node:crypto';
import type { ApprovalStore, Clock } from '@halyard/contracts';
import type { Database } from './open-database.ts';

export class MyApprovalStore implements ApprovalStore {
  /**
   * Remove this field when your database is durable: it makes approvals of an earlier process
   * invalid, because their use is not known.
   */
  readonly lifeId: string = randomUUID();
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * With a database: one `INSERT … ON CONFLICT DO NOTHING`, so that one of several concurrent uses
   * succeeds.
   */
  async consume(approvalId: string, expiresAt: number): Promise<boolean> {
    if (this.#database.approvals.has(approvalId)) return false;
    this.#database.approvals.set(approvalId, expiresAt);
    return true;
  }

  async purge(limit: number): Promise<number> {
    const now = this.#clock.now();
    const expired = [...this.#database.approvals].filter(([, expiresAt]) => expiresAt < now).slice(0, limit);
    for (const [approvalId] of expired) this.#database.approvals.delete(approvalId);
    return expired.length;
  }
}
