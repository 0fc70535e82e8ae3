import { randomUUID } from 'node:crypto';
import {
  type ApprovalDecision,
  type ApprovalStore,
  approverKeys,
  type Clock,
  type DecideOptions,
  type OpenApproval,
} from '@halyard/contracts';
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
    this.#database.openApprovals.delete(approvalId);
    if (this.#database.approvals.has(approvalId)) return false;
    this.#database.approvals.set(approvalId, expiresAt);
    return true;
  }

  async open(request: OpenApproval): Promise<void> {
    const { id, round = 0 } = request;
    const before = this.#database.openApprovals.get(id);
    if (round === 0 ? before !== undefined : before === undefined || (before.round ?? 0) >= round) return;
    this.#database.openApprovals.set(id, request);
  }

  async find(approvalId: string): Promise<OpenApproval | undefined> {
    const request = this.#database.openApprovals.get(approvalId);
    return request !== undefined && request.expiresAt >= this.#clock.now() ? request : undefined;
  }

  /** With a database: store the keys in a column with an index, such as GIN in PostgreSQL. */
  async listOpen(keys: readonly string[], limit: number, offset = 0): Promise<readonly OpenApproval[]> {
    const now = this.#clock.now();
    return [...this.#database.openApprovals.values()]
      .filter(({ expiresAt, rules }) => expiresAt >= now && approverKeys(rules).some((key) => keys.includes(key)))
      .toSorted((one, other) => other.createdAt - one.createdAt)
      .slice(offset, offset + limit);
  }

  /** With a database: one row for each approval, locked by the statement that adds a decision. */
  async decide(
    approvalId: string,
    decision: ApprovalDecision,
    { expiresAt, quorum, userId }: DecideOptions,
  ): Promise<readonly ApprovalDecision[]> {
    const { decisions } = this.#database.decisions.get(approvalId) ?? { decisions: [] };
    const isComplete = decisions.length >= quorum || decisions.some(({ approved }) => !approved);
    if (isComplete || decisions.some((one) => one.userId === decision.userId)) return decisions;
    const all = [...decisions, decision];
    this.#database.decisions.set(approvalId, { decisions: all, expiresAt, userId });
    return all;
  }

  async decisions(approvalId: string): Promise<readonly ApprovalDecision[]> {
    const decided = this.#database.decisions.get(approvalId);
    return decided !== undefined && decided.expiresAt >= this.#clock.now() ? decided.decisions : [];
  }

  /** Deletes the requests of a user, and the decisions about them. */
  deleteUser(userId: string): void {
    for (const table of [this.#database.openApprovals, this.#database.decisions])
      for (const [id, entry] of table) if (entry.userId === userId) table.delete(id);
  }

  async purge(limit: number): Promise<number> {
    const { approvals, decisions, openApprovals } = this.#database;
    const now = this.#clock.now();
    const expired = [
      ...[...approvals].filter(([, expiresAt]) => expiresAt < now).map(([id]) => [approvals, id] as const),
      ...[...openApprovals].filter(([, one]) => one.expiresAt < now).map(([id]) => [openApprovals, id] as const),
      ...[...decisions].filter(([, one]) => one.expiresAt < now).map(([id]) => [decisions, id] as const),
    ].slice(0, limit);
    for (const [table, id] of expired) table.delete(id);
    return expired.length;
  }
}
