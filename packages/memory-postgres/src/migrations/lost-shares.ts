import type { Migration } from './migration.ts';

/**
 * A runner that has died keeps its share of what is due until its lease ends. The others therefore also get what belongs to its share: executions whose runner has lost its lease always, and those without
 * a runner when their own share has none.
 */
export const lostShares: Migration = {
  number: 16,
  name: 'lost-shares',
  sql: (schema) => `
drop function ${schema}.due_of_share;
${dueExecutions(schema)}
${dueOfShare(schema)}`,
};

/**
 * The executions with these definitions that need a runner now: those without one, and those whose runner has lost its lease. The key of an execution decides to whose share it belongs. Those of other shares
 * follow when they have been due for a tenth of a second.
 */
function dueExecutions(schema: string): string {
  return `
create or replace function ${schema}.due_executions(definitions jsonb, most integer, runner_name text, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  own_key constant bigint := (select max(r.key) from ${schema}.runners r where r.name = runner_name and r.lease_until > now_ms);
  share_count bigint := 1;
  share_index bigint := 0;
  found_count integer := 0;
  has_free boolean := false;
  own record;
begin
  if own_key is not null then
    select count(*), count(*) filter (where r.key < own_key) into share_count, share_index from ${schema}.runners r where r.lease_until > now_ms;
  end if;
  for own in select due.* from ${schema}.due_of_share(definitions, most, share_count, share_index, false, true, now_ms) as due
    order by due.priority desc, due.due_at, due.key limit most
  loop
    id := own.id;
    workflow_id := own.workflow_id;
    priority := own.priority;
    claims_without_commit := own.claims_without_commit;
    due_at := own.due_at;
    found_count := found_count + 1;
    has_free := has_free or not own.is_lost;
    return next;
  end loop;
  if share_count > 1 then
    return query select other.id, other.workflow_id, other.priority, other.claims_without_commit, other.due_at
      from ${schema}.due_of_share(definitions, most, share_count, share_index, true, not has_free, now_ms - 100) as other
      order by hashtextextended(other.id, own_key) limit least(50, most - found_count);
  end if;
end
$function$;`;
}

/**
 * The executions that have been due since \`latest_ms\`, of a share or of all others, with or without those that have no runner. Each definition and each of its priorities is one range of the index. To compile
 * the query would take much longer than to run it.
 */
function dueOfShare(schema: string): string {
  return `
create function ${schema}.due_of_share(
  definitions jsonb, most integer, share_count bigint, share_index bigint, is_other boolean, with_free boolean, latest_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint, key bigint, is_lost boolean)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
begin
  if with_free then
    return query
      select free.id, free.workflow_id, free.priority, free.claims_without_commit, free.wants_runner_at, free.key, false
      from jsonb_array_elements_text(definitions) as wanted (definition)
      cross join lateral (
        with recursive level (priority) as (
          select (select e.priority from ${schema}.executions e
            where e.definition = wanted.definition and e.wants_runner_at is not null and e.runner is null order by e.priority desc limit 1)
          union all
          select (select e.priority from ${schema}.executions e
            where e.definition = wanted.definition and e.wants_runner_at is not null and e.runner is null and e.priority < level.priority
            order by e.priority desc limit 1)
          from level where level.priority is not null
        )
        select level.priority from level where level.priority is not null
      ) as levels
      cross join lateral (
        select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.wants_runner_at, e.key from ${schema}.executions e
        where e.definition = wanted.definition and e.priority = levels.priority and e.wants_runner_at <= latest_ms and e.runner is null
          and (e.key % share_count = share_index) <> is_other
        order by e.wants_runner_at, e.key limit most
      ) as free;
  end if;
  return query
    select lost.id, lost.workflow_id, lost.priority, lost.claims_without_commit, ended.lease_until, lost.key, true
    from (select r.key, r.lease_until from ${schema}.runners r where r.lease_until <= latest_ms order by r.key) as ended
    cross join lateral (
      select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.key from ${schema}.executions e
      where e.runner_key = ended.key and e.runner is not null and definitions ? e.definition and (e.key % share_count = share_index) <> is_other
      order by e.priority desc, e.key limit most
    ) as lost;
end
$function$;`;
}
