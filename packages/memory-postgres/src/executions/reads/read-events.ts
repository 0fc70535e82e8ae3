import type { EventRange, ExecutionEvent, Owner } from '@halyard/contracts';
import { sql, type SqlBool } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { isOwnedBy } from '../../connection/sql-fragments.ts';
import { toText } from '../../connection/text-codec.ts';
import { fromStoredEvent } from '../rows/shared-outputs.ts';

/** The greatest number that an event can have. */
const largestSeq = 2 ** 31 - 1;

/**
 * Events of an execution after a number. PostgreSQL knows the lengths of events without reading
 * them, so those that do not fit stay there.
 */
export async function readEvents(
  database: Database,
  owner: Owner,
  id: string,
  { after, creationId, limit, maxBytes }: EventRange,
): Promise<readonly ExecutionEvent[]> {
  const from = Math.floor(Math.min(Math.max(after, 0), largestSeq));
  const found = { owner, id, creationId, from, limit };
  const rows = await (maxBytes === undefined
    ? database.read((db) => toRange(db, found).orderBy('v.seq').execute())
    : database.read((db) => {
        const bytes = sql<number>`sum(octet_length(v.event) + coalesce(octet_length(o.event), 0)) over (order by v.seq)`;
        return db
          .selectFrom(toRange(db, found).select(bytes.as('bytes')).as('sized'))
          .select(['seq', 'event', 'source'])
          .where((eb) => eb.or([eb('seq', '=', from + 1), eb('bytes', '<=', maxBytes)]))
          .orderBy('seq')
          .execute();
      }));
  return rows.map(({ event, seq, source }) => ({ seq, event: fromStoredEvent(event, source) }));
}

interface WantedEvents {
  readonly owner: Owner;
  readonly id: string;
  readonly creationId: string | undefined;
  readonly from: number;
  readonly limit: number;
}

function toRange(
  db: Parameters<Parameters<Database['read']>[0]>[0],
  { creationId, from, id, limit, owner }: WantedEvents,
) {
  return (
    db
      .selectFrom('executions as e')
      .innerJoin('execution_events as v', 'v.execution_key', 'e.key')
      .leftJoin('execution_events as o', (join) =>
        join.onRef('o.execution_key', '=', 'v.execution_key').onRef('o.seq', '=', 'v.value_of'),
      )
      .select(['v.seq', 'v.event', 'o.event as source'])
      .where('e.id', '=', toText(id))
      .where(isOwnedBy(owner, 'e.user_id'))
      .where(
        creationId === undefined ? sql.lit(true) : sql<SqlBool>`coalesce(e.request_id, e.id) = ${toText(creationId)}`,
      )
      .where('v.seq', '>', from)
      // The numbers have no gaps. Without this, all later events might be read and sorted.
      .where('v.seq', '<=', Math.min(from + limit, largestSeq))
  );
}
