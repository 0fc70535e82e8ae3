import type { ApprovalStore } from '@halyard/contracts';
import { databaseTime } from '../connection/database-time.ts';
import type { Database } from '../connection/database.ts';
import { toText } from '../connection/text-codec.ts';

/** As many as each call clears away, so that they do not pile up. */
const forgottenAtOnce = 2;

/** Used approvals, in a table: they outlive processes, and are known to all of them. */
export class PostgresApprovalStore implements ApprovalStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async consume(approvalId: string, expiresAt: number): Promise<boolean> {
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
                .limit(forgottenAtOnce)
                .forUpdate()
                .skipLocked(),
            ),
        )
        .insertInto('approvals')
        .values({ id, expires_at: Math.ceil(expiresAt) })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst(),
    );
    return numInsertedOrUpdatedRows === 1n;
  }

  async purge(limit: number): Promise<number> {
    const { numDeletedRows } = await this.#database.run((db) =>
      db
        .deleteFrom('approvals')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('approvals')
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
