import type { ExecutionStatus, Owner, Termination } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { databaseTime, isOwnedBy } from '../../connection/sql-fragments.ts';
import { storageUnavailable } from '../../connection/storage-unavailable.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { whileBusy } from '../../connection/while-busy.ts';
import { toTerminationJson } from '../rows/sql-arguments.ts';

/** How long to try again while commits change the execution. */
const terminateTimeoutMs = 5_000;

interface Terminated<Outcome = 'terminated' | 'idle' | 'not-found'> {
  readonly outcome: Outcome;
  /** The executions that were ended. */
  readonly ids: readonly string[];
  /** Whether it had a place of a concurrency key: others that waited for it may be due. */
  readonly hasFreedPlace: boolean;
}

interface TerminatedRow {
  /** Of the root, before. Null: it is not found. */
  readonly status: ExecutionStatus | null;
  readonly ids: readonly string[];
  readonly has_freed_place: boolean;
}

/** Ends a root and its open sub-workflows. */
export async function terminateExecution(
  database: Database,
  owner: Owner,
  id: string,
  termination: Termination,
): Promise<Terminated> {
  const terminated = await whileBusy(
    () => tryToTerminate(database, owner, id, termination),
    ({ outcome }) => outcome === 'busy',
    terminateTimeoutMs,
  );
  const { outcome } = terminated;
  if (outcome === 'busy') throw storageUnavailable(new Error(`Commits change the execution ${id}`));
  return { ...terminated, outcome };
}

/**
 * One statement. Between its snapshot and its lock, a commit may have created sub-workflows that it
 * does not see. The version of the row tells: then nothing is written, and the statement runs
 * again.
 */
async function tryToTerminate(
  database: Database,
  owner: Owner,
  id: string,
  termination: Termination,
): Promise<Terminated | Terminated<'busy'>> {
  const executions = sql.raw(`${database.schema}.executions`);
  const isRoot = sql`e.id = ${toText(id)} and e.root_key is null and ${isOwnedBy(owner, 'e.user_id')}`;
  const wakeWaiting = sql.raw(`${database.schema}.wake_waiting`);
  const now = databaseTime(database);
  const events = sql`${toTerminationJson(termination)}::jsonb`;
  const { rows } = await database.run((db) =>
    sql<TerminatedRow>`
with before as materialized (
  select e.key, e.xmin::text as version, e.status from ${executions} e where ${isRoot}
), locked as materialized (
  select e.key, e.xmin::text as version, case when e.wants_runner_at is not null then e.concurrency_key end as freed_key
    from ${executions} e where ${isRoot} and e.status in ('running', 'suspended') for update skip locked
), root as materialized (
  select l.key, l.freed_key from locked l join before b on b.key = l.key and b.version = l.version
), tree as materialized (
  select r.key from root r union all select c.key from root r join ${executions} c on c.root_key = r.key
), ended as (
  update ${executions} e set
      status = 'cancelled',
      ended_at = ${now},
      updated_at = ${now},
      epoch = case when e.root_key is null then e.epoch + 1 else e.epoch end,
      runner = null,
      wants_runner_at = null,
      waiting_since = null,
      quarantined_at = null,
      claims_without_commit = 0,
      request_kind = null,
      request_reason = null,
      waits = '[]',
      seq = e.seq + coalesce(jsonb_array_length(${events} -> e.id), 0)
    from tree where e.key = tree.key and e.ended_at is null
    returning e.key, e.id, e.seq
), written as (
  insert into ${sql.raw(`${database.schema}.execution_events`)} (execution_key, seq, event)
    select e.key, e.seq - jsonb_array_length(${events} -> e.id) + added.n, added.value
    from ended e, jsonb_array_elements_text(${events} -> e.id) with ordinality as added (value, n)
)
select (select status from before) as status, array(select e.id from ended e) as ids,
  exists(select from root r join ended e on e.key = r.key where r.freed_key is not null) as has_freed_place,
  ${wakeWaiting}(array(select r.freed_key from root r join ended e on e.key = r.key where r.freed_key is not null), ${now})`.execute(
      db,
    ),
  );
  const [{ has_freed_place: hasFreedPlace, ids, status } = { has_freed_place: false, ids: [], status: null }] = rows;
  if (ids.length > 0) return { outcome: 'terminated', ids: ids.map(fromText), hasFreedPlace };
  if (status === null) return { outcome: 'not-found', ids: [], hasFreedPlace };
  return { outcome: status === 'running' || status === 'suspended' ? 'busy' : 'idle', ids, hasFreedPlace };
}
