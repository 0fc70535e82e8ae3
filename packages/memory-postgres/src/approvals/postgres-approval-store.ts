import {
  type ApprovalDecision,
  type ApprovalStore,
  approverKeys,
  type DecideOptions,
  type OpenApproval,
  type SettledDecision,
} from '@halyard/contracts';
import { sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';
import { newWebhookColumns, newWebhooks, toWebhookIds } from '../webhooks/new-webhooks.ts';

/** How many expired approvals each call deletes, so that they do not accumulate. */
const deletedPerCall = 2;
const tables = ['approvals', 'open_approvals', 'approval_decisions'] as const;

/** Used and open approvals, shared by all processes. */
export class PostgresApprovalStore implements ApprovalStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async consume(approvalId: string, expiresAt: number, decision: SettledDecision = {}): Promise<boolean> {
    const id = toText(approvalId);
    const { numInsertedOrUpdatedRows } = await this.#database.run((db) =>
      db
        .with('expired', (cte) =>
          cte
            .deleteFrom('approvals')
            .where('id', 'in', (eb) =>
              eb
                .selectFrom('approvals')
                .select('id')
                .where('expires_at', '<', databaseTime(this.#database))
                .where('id', '<>', id)
                .orderBy('expires_at')
                .limit(deletedPerCall)
                .forUpdate()
                .skipLocked(),
            ),
        )
        .with('closed', (cte) => cte.deleteFrom('open_approvals').where('id', '=', id).returning(['user_id', 'ids']))
        .with('called', (cte) =>
          cte
            .selectFrom('closed')
            .selectAll()
            .where(sql<SqlBool>`ids <> '{}'`),
        )
        .with('announced', (cte) =>
          cte
            .insertInto('webhook_deliveries')
            .columns(newWebhookColumns)
            .expression(
              newWebhooks(this.#database, 'approval.settled', 'called', { outcome: 'answered', ...decision }),
            ),
        )
        .insertInto('approvals')
        .values({ id, expires_at: Math.ceil(expiresAt) })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst(),
    );
    return numInsertedOrUpdatedRows === 1n;
  }

  async open(request: OpenApproval): Promise<void> {
    const { createdAt, delegation, expiresAt, grant, round = 0, rules, userId } = request;
    const id = toText(request.id);
    // The work of sub-agents is no request to anybody, and neither is a grant.
    const isAnnounced = delegation === undefined && grant === undefined;
    const row = {
      user_id: userId === undefined ? null : toText(userId),
      approver_keys: approverKeys(rules),
      created_at: createdAt,
      expires_at: Math.ceil(expiresAt),
      round,
      ids: isAnnounced ? toWebhookIds(request) : '{}',
      request: JSON.stringify(request),
    };
    await this.#database.run(
      (db) =>
        db
          .with('opened', (cte) =>
            round === 0
              ? cte
                  .insertInto('open_approvals')
                  .values({ id, ...row })
                  .onConflict((conflict) => conflict.doNothing())
                  .returning(['user_id', 'ids'])
              : cte
                  .updateTable('open_approvals')
                  .set(row)
                  .where('id', '=', id)
                  .where('round', '<', round)
                  .returning(['user_id', 'ids']),
          )
          .with('announced', (cte) => cte.selectFrom('opened').selectAll().where(sql.lit(isAnnounced)))
          .insertInto('webhook_deliveries')
          .columns(newWebhookColumns)
          .expression(newWebhooks(this.#database, 'approval.requested', 'announced'))
          .execute(),
      { retry: true },
    );
  }

  async find(approvalId: string): Promise<OpenApproval | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('open_approvals')
        .select('request')
        .where('id', '=', toText(approvalId))
        .where('expires_at', '>=', databaseTime(this.#database))
        .executeTakeFirst(),
    );
    return row && (JSON.parse(row.request) as OpenApproval);
  }

  async listOpen(keys: readonly string[], limit: number, offset = 0): Promise<readonly OpenApproval[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('open_approvals')
        .select('request')
        .where(sql<SqlBool>`approver_keys && ${keys}::text[]`)
        .where('expires_at', '>=', databaseTime(this.#database))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute(),
    );
    return rows.map(({ request }) => JSON.parse(request) as OpenApproval);
  }

  async decide(
    approvalId: string,
    decision: ApprovalDecision,
    { expiresAt, quorum, userId }: DecideOptions,
  ): Promise<readonly ApprovalDecision[]> {
    const id = toText(approvalId);
    const user = decision.userId === null ? null : toText(decision.userId);
    const added = JSON.stringify([{ user, approved: decision.approved, value: JSON.stringify(decision) }]);
    const before = sql.ref('approval_decisions.decisions');
    // A statement that waited for the row's lock sees the latest decisions.
    const isOpen = sql<SqlBool>`jsonb_array_length(${before}) < ${quorum}
      and not ${before} @> '[{"approved": false}]' and not ${before} @> ${JSON.stringify([{ user }])}::jsonb`;
    await this.#database.run(
      (db) =>
        db
          .insertInto('approval_decisions')
          .values({
            id,
            user_id: userId === undefined ? null : toText(userId),
            expires_at: Math.ceil(expiresAt),
            decisions: sql<string>`${added}::jsonb`,
          })
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({ decisions: sql<string>`approval_decisions.decisions || excluded.decisions` })
              .where(isOpen),
          )
          .execute(),
      { retry: true },
    );
    return this.decisions(approvalId);
  }

  async decisions(approvalId: string): Promise<readonly ApprovalDecision[]> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('approval_decisions')
        // As text: an app may have configured the driver to parse jsonb in another way.
        .select(sql<string>`decisions::text`.as('decisions'))
        .where('id', '=', toText(approvalId))
        .where('expires_at', '>=', databaseTime(this.#database))
        .executeTakeFirst(),
    );
    if (row === undefined) return [];
    return (JSON.parse(row.decisions) as readonly { readonly value: string }[]).map(
      ({ value }) => JSON.parse(value) as ApprovalDecision,
    );
  }

  async purge(limit: number): Promise<number> {
    let purged = 0;
    for (const table of tables) purged += await this.#purge(table, limit - purged);
    return purged;
  }

  async #purge(table: (typeof tables)[number], limit: number): Promise<number> {
    if (limit <= 0) return 0;
    const { numDeletedRows } = await this.#database.run((db) =>
      db
        .deleteFrom(table)
        .where('id', 'in', (eb) =>
          eb
            .selectFrom(table)
            .select('id')
            .where('expires_at', '<', databaseTime(this.#database))
            .orderBy('expires_at')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .executeTakeFirst(),
    );
    return Number(numDeletedRows);
  }
}
