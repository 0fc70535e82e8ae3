import type { EventRange, ExecutionEvent, Owner } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOwnedBy } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';
import { fromStoredEvent } from './shared-outputs.ts';

/** The greatest number that an event can have. */
const largestSeq = 2 ** 31 - 1;

/** Events of an execution after a number. PostgreSQL knows the lengths of events without reading them, so those that do not fit stay there. */
export async function readEvents(
  database: Database,
  owner: Owner,
  id: string,
  { after, limit, maxBytes }: EventRange,
): Promise<readonly ExecutionEvent[]> {
  const from = Math.floor(Math.min(Math.max(after, 0), largestSeq));
  const found = { owner, id, from, limit };
  const rows = await (maxBytes === undefined
    ? database.read((db) => rangeOf(db, found).orderBy('v.seq').execute())
    : database.read((db) => {
        const bytes = sql<number>`sum(octet_length(v.event) + coalesce(octet_length(o.event), 0)) over (order by v.seq)`;
        return db
          .selectFrom(rangeOf(db, found).select(bytes.as('bytes')).as('sized'))
          .select(['seq', 'event', 'source'])
          .where((eb) => eb.or([eb('seq', '=', from + 1), eb('bytes', '<=', maxBytes)]))
          .orderBy('seq')
          .execute();
      }));
  return rows.map(({ event, seq, source }) => ({ seq, event: fromStoredEvent(event, source) }));
}

function rangeOf(
  db: Parameters<Parameters<Database['read']>[0]>[0],
  {
    from,
    id,
    limit,
    owner,
  }: { readonly owner: Owner; readonly id: string; readonly from: number; readonly limit: number },
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
      .where('v.seq', '>', from)
      // The numbers have no gaps. Without this, all later events might be read and sorted.
      .where('v.seq', '<=', Math.min(from + limit, largestSeq))
  );
}
