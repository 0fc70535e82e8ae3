import type { Migration } from './migration.ts';

/**
 * What is due, also because the lease of its runner has run out, with the time since when it is: lists of several databases can be merged. The runners that have a lease share it.
 */
export const dueExecutions: Migration = {
  number: 11,
  name: 'due-executions',
  sql: (schema) => `
${sharesOfDue(schema)}
${dueElsewhere(schema)}`,
};

/**
 * The executions with these definitions that need a runner now: those without one, and those whose runner has lost its lease. The key of an execution decides to whose share it belongs. When the
 * share of the runner is empty, it gets those of other shares that have been due for a tenth of a second.
 */
function sharesOfDue(schema: string): string {
  return `
drop function ${schema}.due_executions;
create function ${schema}.due_executions(definitions jsonb, most integer, runner_name text, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  own_key constant bigint := (select max(r.key) from ${schema}.runners r where r.name = runner_name and r.lease_until > now_ms);
  share_count bigint := 1;
  share_index bigint := 0;
  found_count integer;
begin
  if own_key is not null then
    select count(*), count(*) filter (where r.key < own_key) into share_count, share_index from ${schema}.runners r where r.lease_until > now_ms;
  end if;
  return query select * from ${schema}.due_of_share(definitions, most, share_count, share_index, now_ms, now_ms);
  get diagnostics found_count = row_count;
  if found_count = 0 and share_count > 1 then
    return query select * from ${schema}.due_of_share(definitions, most, 1, 0, now_ms - 100, now_ms) as other
      order by hashtextextended(other.id, own_key) limit 50;
  end if;
end
$function$;

${dueOfShare(schema)}`;
}

/** The executions that have been due since \`latest_ms\`, of a share. Each definition and each of its priorities is one range of the index. To compile the query would take much longer than to run it. */
function dueOfShare(schema: string): string {
  return `
create function ${schema}.due_of_share(definitions jsonb, most integer, share_count bigint, share_index bigint, latest_ms bigint, now_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
begin
  return query
    select due.id, due.workflow_id, due.priority, due.claims_without_commit, due.since from (
      select free.id, free.workflow_id, free.priority, free.claims_without_commit, free.wants_runner_at as since, free.key
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
          and e.key % share_count = share_index
        order by e.wants_runner_at, e.key limit most
      ) as free
      union all
      select lost.id, lost.workflow_id, lost.priority, lost.claims_without_commit, ended.lease_until, lost.key
      from (select r.key, r.lease_until from ${schema}.runners r where r.lease_until <= latest_ms order by r.key) as ended
      cross join lateral (
        select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.key from ${schema}.executions e
        where e.runner_key = ended.key and e.runner is not null and definitions ? e.definition and e.key % share_count = share_index
        order by e.priority desc, e.key limit most
      ) as lost
    ) as due
    order by due.priority desc, due.since, due.key limit most;
end
$function$;`;
}

/** The executions of these workflows that need a runner now and have other definitions, those due longest first. */
function dueElsewhere(schema: string): string {
  return `
create function ${schema}.due_elsewhere(workflows jsonb, definitions jsonb, most integer, shift_ms bigint)
returns table (id text, workflow_id text, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
begin
  return query
    select due.id, due.workflow_id, due.since from (
      select free.id, free.workflow_id, free.since, free.key
      from jsonb_array_elements_text(workflows) as wanted (workflow_id)
      cross join lateral (
        select e.id, e.workflow_id, e.wants_runner_at as since, e.key from ${schema}.executions e
        where e.workflow_id = wanted.workflow_id and e.wants_runner_at <= now_ms and e.runner is null and not definitions ? e.definition
        order by e.wants_runner_at, e.key limit most
      ) as free
      union all
      select lost.id, lost.workflow_id, ended.lease_until, lost.key
      from (select r.key, r.lease_until from ${schema}.runners r where r.lease_until <= now_ms order by r.key) as ended
      cross join lateral (
        select e.id, e.workflow_id, e.key from ${schema}.executions e
        where e.runner_key = ended.key and e.runner is not null and workflows ? e.workflow_id and not definitions ? e.definition
        order by e.key limit most
      ) as lost
    ) as due
    order by due.since, due.key limit most;
end
$function$;`;
}
