import type { CreateOptions, NewExecution } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { toText } from '../connection/text-codec.ts';
import { sentExecution } from './execution-json.ts';

/**
 * Writes a new root that is due later. A transaction of its own: few executions are, and the function that writes the others in batches stays as it was
 * released.
 */
export async function createDelayed(
  database: Database,
  execution: NewExecution,
  options: CreateOptions & { readonly dueInMs: number },
): Promise<'created' | 'taken'> {
  const create = sql<{ answer: 'created' | 'taken' }>`select * from ${sql.raw(database.schema)}.create_executions(
    ${`[${sentExecution(execution, options)}]`}, ${database.shiftMs}) as answer`;
  return database.run(
    (db) =>
      db.transaction().execute(async (trx) => {
        const answer = (await create.execute(trx)).rows[0]?.answer ?? 'taken';
        if (answer === 'taken') return answer;
        // The same request again finds it delayed, or claimed, or asked for something: then it stays as it is.
        await trx
          .updateTable('executions')
          .set({ wants_runner_at: sql`created_at + ${Math.ceil(options.dueInMs)}::bigint` })
          .where('id', '=', toText(execution.id))
          .where('epoch', '=', 0)
          .where('signals', '=', 0)
          .where(sql<boolean>`wants_runner_at = created_at`)
          .execute();
        return answer;
      }),
    { bearsTwice: true },
  );
}
