import type { DatabaseSync } from 'node:sqlite';
import {
  type ApprovalDecision,
  type ApprovalStore,
  approverKeys,
  type Clock,
  type DecideOptions,
  type OpenApproval,
} from '@halyard/contracts';
import { inTransaction } from './in-transaction.ts';
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
    this.#database.prepare('DELETE FROM open_approvals WHERE id = ?').run(toText(approvalId));
    const sql = 'INSERT INTO approvals (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
    return this.#database.prepare(sql).run(toText(approvalId), expiresAt).changes > 0;
  }

  async open(request: OpenApproval): Promise<void> {
    const { createdAt, expiresAt, round = 0, rules, userId } = request;
    const id = toText(request.id);
    inTransaction(this.#database, () => {
      if (round > 0) {
        const earlier = "DELETE FROM open_approvals WHERE id = ? AND coalesce(request ->> '$.round', 0) < ?";
        if (this.#database.prepare(earlier).run(id, round).changes === 0) return;
      }
      const { changes } = this.#database
        .prepare('INSERT INTO open_approvals VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
        .run(id, userId === undefined ? null : toText(userId), createdAt, expiresAt, JSON.stringify(request));
      if (changes === 0) return;
      const addKey = this.#database.prepare('INSERT INTO approver_keys VALUES (?, ?) ON CONFLICT DO NOTHING');
      for (const key of approverKeys(rules)) addKey.run(key, id);
    });
  }

  async find(approvalId: string): Promise<OpenApproval | undefined> {
    const row = this.#database
      .prepare('SELECT request FROM open_approvals WHERE id = ? AND expires_at >= ?')
      .get(toText(approvalId), this.#clock.now());
    return row && toRequest(row);
  }

  async listOpen(keys: readonly string[], limit: number, offset = 0): Promise<readonly OpenApproval[]> {
    const ids = 'SELECT id FROM approver_keys WHERE key IN (SELECT value FROM json_each(?))';
    return this.#database
      .prepare(
        `SELECT request FROM open_approvals WHERE id IN (${ids}) AND expires_at >= ? ORDER BY created_at DESC LIMIT ? OFFSET ?`,
      )
      .all(JSON.stringify(keys), this.#clock.now(), limit, offset)
      .map(toRequest);
  }

  async decide(
    approvalId: string,
    decision: ApprovalDecision,
    { expiresAt, quorum, userId }: DecideOptions,
  ): Promise<readonly ApprovalDecision[]> {
    const id = toText(approvalId);
    return inTransaction(this.#database, () => {
      const decisions = this.#readDecisions(id);
      const isComplete = decisions.length >= quorum || decisions.some(({ approved }) => !approved);
      if (isComplete || decisions.some((one) => one.userId === decision.userId)) return decisions;
      const all = [...decisions, decision];
      this.#database
        .prepare('INSERT OR REPLACE INTO approval_decisions VALUES (?, ?, ?, ?)')
        .run(id, userId === undefined ? null : toText(userId), expiresAt, JSON.stringify(all));
      return all;
    });
  }

  async decisions(approvalId: string): Promise<readonly ApprovalDecision[]> {
    return this.#readDecisions(toText(approvalId), this.#clock.now());
  }

  async purge(limit: number): Promise<number> {
    let purged = 0;
    for (const table of ['approvals', 'open_approvals', 'approval_decisions']) {
      const expired = `SELECT id FROM ${table} WHERE expires_at < ? ORDER BY expires_at LIMIT ?`;
      const { changes } = this.#database
        .prepare(`DELETE FROM ${table} WHERE id IN (${expired})`)
        .run(this.#clock.now(), limit - purged);
      purged += Number(changes);
    }
    return purged;
  }

  #readDecisions(id: string, now = 0): readonly ApprovalDecision[] {
    const row = this.#database
      .prepare('SELECT decisions FROM approval_decisions WHERE id = ? AND expires_at >= ?')
      .get(id, now);
    return row === undefined ? [] : (JSON.parse(String(row['decisions'])) as readonly ApprovalDecision[]);
  }
}

function toRequest({ request }: Readonly<Record<string, unknown>>): OpenApproval {
  return JSON.parse(String(request)) as OpenApproval;
}
