import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { isOneOf } from './sql-fragments.ts';
import { fromText, toText } from './text-codec.ts';
import type { RowState } from './watched-rows.ts';

/** The expressions of a {@link RowState}. */
interface StateColumns {
  readonly commit: RawBuilder<string>;
  readonly signal: RawBuilder<string>;
}

export const executionState: StateColumns = {
  commit: sql`concat(updated_at, ' ', seq, ' ', signals, ' ', epoch)`,
  signal: sql`case when signals = 0 then '' else concat(signals, ' ', epoch) end`,
};

/** The expiry of a lease is part of the state, because no process writes it. */
export function streamState({ shiftMs }: Database): StateColumns {
  const hasExpired = sql`lease_until <= extract(epoch from clock_timestamp()) * 1000 + ${shiftMs}::bigint`;
  return {
    commit: sql`concat(status, ' ', chunk_count, ' ', is_stop_requested, ' ', ${hasExpired})`,
    signal: sql`''`,
  };
}

export async function readStates(
  database: Database,
  table: 'executions' | 'streams',
  ids: readonly string[],
  { commit, signal }: StateColumns,
): Promise<ReadonlyMap<string, RowState>> {
  const rows = await database.read((db) =>
    db
      .selectFrom(table)
      .select(['id', commit.as('commit'), signal.as('signal')])
      .where(isOneOf('id', ids.map(toText)))
      .execute(),
  );
  return new Map(rows.map(({ id, ...state }) => [fromText(id), state]));
}
