import type { Database } from '@halyard/memory-postgres/database';
import type { Db } from 'pg-boss';

/** A pool of connections that is open. */
export type OpenedPool = NonNullable<Awaited<ReturnType<Database['opened']>>>;

/** A connection of it. */
export type PoolClient = Awaited<ReturnType<OpenedPool['pool']['connect']>>;
type Answer = { readonly rows?: readonly unknown[] };

/** A pool as pg-boss asks of it. */
export function bossDatabase({ pool }: OpenedPool): Db {
  return {
    executeSql: async (text, values) => {
      const client = await pool.connect();
      let isLost = false;
      try {
        return { rows: await rowsOf(client, text, values) };
      } catch (error) {
        // It may have failed inside of a transaction that it began.
        await client.query('rollback', []).catch(() => {
          isLost = true;
        });
        throw error;
      } finally {
        client.release(isLost ? true : undefined);
      }
    },
  };
}

/** Of several statements in one text, the rows of all. */
async function rowsOf(client: PoolClient, text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const answer: Answer | readonly Answer[] = await client.query<unknown>(text, [...values]);
  return (isList(answer) ? answer : [answer]).flatMap(({ rows = [] }) => rows);
}

function isList(answer: Answer | readonly Answer[]): answer is readonly Answer[] {
  return Array.isArray(answer);
}
