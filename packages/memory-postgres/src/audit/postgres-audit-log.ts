import type { AuditFilter, AuditLog, AuditOutcome, AuditRecord, NewAuditRecord } from '@halyard/contracts';
import { sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { toText } from '../connection/text-codec.ts';

/** The audit trail of all processes. */
export class PostgresAuditLog implements AuditLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async append(record: NewAuditRecord): Promise<void> {
    const { action, actor, at, id, target } = record;
    await this.#database.run(
      (db) =>
        db
          .insertInto('audit_log')
          .values({
            id: toText(id),
            at,
            user_id: actor.userId === null ? null : toText(actor.userId),
            action: toText(action),
            target_ids: Object.values<string>({ ...target }).map(toText),
            record: JSON.stringify(record),
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      { retry: true },
    );
  }

  async settle(id: string, outcome: AuditOutcome): Promise<void> {
    await this.#database.run(
      (db) =>
        db
          .updateTable('audit_log')
          .set({ outcome: JSON.stringify(outcome) })
          .where('id', '=', toText(id))
          .where('outcome', 'is', null)
          .execute(),
      { retry: true },
    );
  }

  async list({ action, actor, after, from, limit, target, to }: AuditFilter): Promise<readonly AuditRecord[]> {
    const rows = await this.#database.read((db) => {
      let query = db.selectFrom('audit_log').select(['record', 'outcome']);
      if (actor !== undefined) query = query.where('user_id', '=', toText(actor));
      if (action !== undefined) query = query.where('action', '=', toText(action));
      if (target !== undefined) query = query.where(sql<SqlBool>`target_ids @> ${[toText(target)]}::text[]`);
      if (from !== undefined) query = query.where('at', '>=', from);
      if (to !== undefined) query = query.where('at', '<', to);
      if (after !== undefined) query = query.where('id', '<', toText(after));
      return query.orderBy('id', 'desc').limit(limit).execute();
    });
    return rows.map(({ outcome, record }) => ({
      ...(JSON.parse(record) as NewAuditRecord),
      outcome: outcome === null ? null : (JSON.parse(outcome) as AuditOutcome),
    }));
  }

  async purge(before: number, limit: number): Promise<number> {
    const { numDeletedRows } = await this.#database.run((db) =>
      db
        .deleteFrom('audit_log')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('audit_log')
            .select('id')
            .where('at', '<', before)
            .orderBy('at')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .executeTakeFirst(),
    );
    return Number(numDeletedRows);
  }
}
