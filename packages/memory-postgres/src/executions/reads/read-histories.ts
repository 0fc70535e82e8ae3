import type { ExecutionEvent, Owner } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { isOneOf, isOwnedBy } from '../../connection/sql-fragments.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { eventsJson, toEvents } from '../rows/execution-rows.ts';

interface HistoryRange {
  /** How many events of each. */
  readonly limit: number;
  /** How many bytes of all. */
  readonly maxBytes: number | undefined;
}

/** The first events of several executions, in one statement. */
export async function readHistories(
  database: Database,
  owner: Owner,
  ids: readonly string[],
  { limit, maxBytes }: HistoryRange,
): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
  if (ids.length === 0) return new Map();
  const texts = ids.map(toText);
  const rows = await (maxBytes === undefined
    ? readAll(database, owner, texts, limit)
    : readWithin(database, owner, texts, { limit, maxBytes }));
  return new Map(rows.map(({ events, id }) => [fromText(id), toEvents(events)]));
}

function readAll(database: Database, owner: Owner, ids: readonly string[], limit: number) {
  return database.read((db) =>
    db
      .selectFrom('executions as e')
      .select((eb) => [
        'e.id',
        eb
          .selectFrom('execution_events as v')
          .select(eventsJson)
          .whereRef('v.execution_key', '=', 'e.key')
          .where('v.seq', '<=', limit)
          .as('events'),
      ])
      .where(isOneOf('e.id', ids))
      .where(isOwnedBy(owner, 'e.user_id'))
      .execute(),
  );
}

/**
 * PostgreSQL knows the lengths of events without reading them. An event without its value is as
 * long as the one that has it, too.
 */
function readWithin(
  database: Database,
  owner: Owner,
  ids: readonly string[],
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
) {
  const bytes = sql<number>`sum(octet_length(v.event) + coalesce(octet_length(o.event), 0)) over (order by e.place, v.seq)`;
  return database.read((db) =>
    db
      .with('e', (cte) =>
        cte
          .selectFrom('executions as e')
          .select(['e.id', 'e.key', sql<number>`array_position(${ids}::text[], e.id)`.as('place')])
          .where(isOneOf('e.id', ids))
          .where(isOwnedBy(owner, 'e.user_id')),
      )
      .with(
        // Computed once, not for each execution.
        (cte) => cte('v').materialized(),
        (cte) =>
          cte
            .selectFrom('e')
            // PostgreSQL overestimates the rows of a plain join a thousand times, and compiles the
            // query for a quarter of a second.
            .innerJoinLateral(
              (eb) =>
                eb
                  .selectFrom('execution_events as first')
                  .select(['first.execution_key', 'first.seq', 'first.event', 'first.value_of'])
                  .whereRef('first.execution_key', '=', 'e.key')
                  .where('first.seq', '<=', limit)
                  .orderBy('first.seq')
                  .limit(limit)
                  .as('v'),
              (join) => join.onTrue(),
            )
            .leftJoin('execution_events as o', (join) =>
              join.onRef('o.execution_key', '=', 'v.execution_key').onRef('o.seq', '=', 'v.value_of'),
            )
            .select(['v.execution_key', 'v.seq', 'v.event', 'v.value_of', bytes.as('bytes')]),
      )
      .selectFrom('e')
      .select((eb) => [
        'e.id',
        eb
          .selectFrom('v')
          .select(eventsJson)
          .whereRef('v.execution_key', '=', 'e.key')
          .where('v.bytes', '<=', maxBytes)
          .as('events'),
      ])
      .execute(),
  );
}
