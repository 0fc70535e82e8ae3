import type { Migration } from './migration.ts';

/**
 * The runners that can run an execution share it: each asks what is due of its definitions, and these are stored with its lease. Before, runners of another release or with other workflows had shares that they
 * could not run, and left them there while the others had work.
 */
export const sharesByDefinition: Migration = {
  number: 19,
  name: 'shares-by-definition',
  sql: (schema) => `
alter table ${schema}.runners add column definitions jsonb;

drop function ${schema}.due_of_share;
${dueExecutions(schema)}
${sharesOf(schema)}
${dueOfShares(schema)}`,
};

/**
 * The executions with these definitions that need a runner now: those without one, and those whose runner has lost its lease. Those of other shares follow when they have been due for a tenth of a second:
 * the lost ones always, those without a runner when the own shares have none that has been due as long.
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
  shares jsonb := '{}';
  found_count integer := 0;
  has_overdue boolean := false;
  own record;
begin
  if own_key is not null then
    update ${schema}.runners r set definitions = due_executions.definitions where r.key = own_key and r.definitions is distinct from due_executions.definitions;
    shares := ${schema}.shares_of(own_key, definitions, now_ms);
  end if;
  for own in select due.* from ${schema}.due_of_shares(definitions, most, shares, false, true, now_ms) as due
    order by due.priority desc, due.due_at, due.key limit most
  loop
    id := own.id;
    workflow_id := own.workflow_id;
    priority := own.priority;
    claims_without_commit := own.claims_without_commit;
    due_at := own.due_at;
    found_count := found_count + 1;
    has_overdue := has_overdue or not own.is_lost and own.due_at <= now_ms - 100;
    return next;
  end loop;
  if shares <> '{}' then
    return query select other.id, other.workflow_id, other.priority, other.claims_without_commit, other.due_at
      from ${schema}.due_of_shares(definitions, most, shares, true, not has_overdue, now_ms - 100) as other
      order by hashtextextended(other.id, own_key) limit least(50, most - found_count);
  end if;
end
$function$;`;
}

/** The share of a runner of each definition that others have asked for as well: how many they are, and how many of them come before it. */
function sharesOf(schema: string): string {
  return `
create function ${schema}.shares_of(own_key bigint, definitions jsonb, now_ms bigint) returns jsonb
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
begin
  return (
    select coalesce(jsonb_object_agg(shared.definition, jsonb_build_array(shared.runners, shared.before)), '{}') from (
      select asked.definition, count(*) as runners, count(*) filter (where r.key < own_key) as before
      from ${schema}.runners r cross join lateral jsonb_array_elements_text(r.definitions) as asked (definition)
      where r.lease_until > now_ms and shares_of.definitions ? asked.definition
      group by asked.definition having count(*) > 1
    ) as shared);
end
$function$;`;
}

/**
 * The executions that have been due since \`latest_ms\`, of these shares or of all others, with or without those that have no runner. The key of an execution decides to whose share it belongs. Each definition and
 * each of its priorities is one range of the index. To compile the query would take much longer than to run it.
 */
function dueOfShares(schema: string): string {
  return `
create function ${schema}.due_of_shares(definitions jsonb, most integer, shares jsonb, is_other boolean, with_free boolean, latest_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint, key bigint, is_lost boolean)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
begin
  if with_free then
    return query
      select free.id, free.workflow_id, free.priority, free.claims_without_commit, free.wants_runner_at, free.key, false
      from (
        select definition, coalesce((shares->definition->>0)::bigint, 1) as runners, coalesce((shares->definition->>1)::bigint, 0) as before
        from jsonb_array_elements_text(definitions) as given (definition)
      ) as wanted
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
          and (e.key % wanted.runners = wanted.before) <> is_other
        order by e.wants_runner_at, e.key limit most
      ) as free;
  end if;
  return query
    select lost.id, lost.workflow_id, lost.priority, lost.claims_without_commit, ended.lease_until, lost.key, true
    from (select r.key, r.lease_until from ${schema}.runners r where r.lease_until <= latest_ms order by r.key) as ended
    cross join lateral (
      select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.key from ${schema}.executions e
      where e.runner_key = ended.key and e.runner is not null and definitions ? e.definition
        and (e.key % coalesce((shares->e.definition->>0)::bigint, 1) = coalesce((shares->e.definition->>1)::bigint, 0)) <> is_other
      order by e.priority desc, e.key limit most
    ) as lost;
end
$function$;`;
}
