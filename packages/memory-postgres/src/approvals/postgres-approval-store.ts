import type { ApprovalStore } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';

/** How many expired approvals each call deletes, so that they do not accumulate. */
const deletedPerCall = 2;

/** Used approvals, shared by all processes. */
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
                .limit(deletedPerCall)
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
