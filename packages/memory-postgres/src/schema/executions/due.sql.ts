import { nowMs } from '../fragments.ts';

/**
 * Which executions need a runner now. Each definition and each of its priorities is one range of
 * an index.
 */
export const dueExecutions: string = `
create index executions_due_by_priority on halyard.executions (definition, priority desc, wants_runner_at, key)
  where wants_runner_at is not null and runner is null;

-- The order of subjects is that of a hash, so that a read can begin at a random one.
create function halyard.subject_hash(subject text) returns bigint
language sql immutable as $function$
  select hashtextextended(coalesce(subject, ''), 0)
$function$;
create index executions_due_by_subject
  on halyard.executions (definition, priority, halyard.subject_hash(subject), wants_runner_at, key)
  where wants_runner_at is not null and runner is null;

-- Each of these definitions with each priority of its executions that have no runner and are due now or
-- later. Each is one step in the index.
create function halyard.due_levels(definitions jsonb) returns table (definition text, priority smallint)
language sql stable set enable_seqscan = off set enable_bitmapscan = off as $function$
  select wanted.definition, found.priority from jsonb_object_keys(definitions) as wanted (definition)
  cross join lateral (
    with recursive level (priority) as (
      select (select e.priority from halyard.executions e
        where e.definition = wanted.definition and e.wants_runner_at is not null and e.runner is null
        order by e.priority desc limit 1)
      union all
      select (select e.priority from halyard.executions e
        where e.definition = wanted.definition and e.wants_runner_at is not null and e.runner is null
          and e.priority < level.priority
        order by e.priority desc limit 1)
      from level where level.priority is not null
    )
    select level.priority from level where level.priority is not null
  ) as found
$function$;

-- How many executions with these definitions can be claimed, most at most, and how long the oldest could
-- have been.
create function halyard.backlog(definitions jsonb, most integer, shift_ms bigint)
returns table (count integer, oldest_due_ms bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
begin
  return query
    select least(count(*), most)::integer, greatest(0, now_ms - coalesce(min(due.since), now_ms)) from (
      select free.since from halyard.due_levels(definitions) as level
      cross join lateral (
        select e.wants_runner_at as since from halyard.executions e
        where e.definition = level.definition and e.priority = level.priority and e.wants_runner_at <= now_ms
          and e.runner is null
        order by e.wants_runner_at limit most
      ) as free
      union all
      select ended.lease_until
      from (select r.key, r.lease_until from halyard.runners r where r.lease_until <= now_ms order by r.key) as ended
      cross join lateral (
        select from halyard.executions e
        where e.runner_key = ended.key and e.runner is not null and definitions ? e.definition limit most
      ) as lost
    ) as due;
end
$function$;

-- The subjects that have something due, by definition and priority. Each is found by one step in the
-- index, also those whose executions are not due yet: at most a thousand, from a random one on.
create function halyard.due_subjects(
  definitions jsonb, now_ms bigint
) returns table (definition text, priority smallint, subject bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  max_subjects constant integer := 500;
  first_subject constant bigint := ((random() - 0.5) * 18e18)::bigint;
begin
  return query
    with levels as materialized (
      select * from halyard.due_levels(definitions)
    )
    select levels.definition, levels.priority, found.subject from levels
    cross join (
      values (first_subject, 9223372036854775807), (-9223372036854775808, first_subject - 1)
    ) as part (low, high)
    cross join lateral (
      with recursive next (subject, since, n) as (
        (select halyard.subject_hash(e.subject), e.wants_runner_at, 1 from halyard.executions e
          where e.definition = levels.definition and e.priority = levels.priority and e.wants_runner_at is not null
            and e.runner is null
            and halyard.subject_hash(e.subject) >= part.low and halyard.subject_hash(e.subject) <= part.high
          order by halyard.subject_hash(e.subject), e.wants_runner_at limit 1)
        union all
        select following.subject, following.since, next.n + 1 from next
        cross join lateral (
          select halyard.subject_hash(e.subject) as subject, e.wants_runner_at as since from halyard.executions e
          where e.definition = levels.definition and e.priority = levels.priority and e.wants_runner_at is not null
            and e.runner is null
            and halyard.subject_hash(e.subject) > next.subject and halyard.subject_hash(e.subject) <= part.high
          order by halyard.subject_hash(e.subject), e.wants_runner_at limit 1
        ) as following
        where next.n < max_subjects
      )
      select next.subject from next where next.since <= now_ms
    ) as found;
end
$function$;

-- The executions of these workflows that need a runner and have other definitions, those due
-- longest first. A definition belongs to one workflow.
create function halyard.due_elsewhere(workflows jsonb, definitions jsonb, most integer, shift_ms bigint)
returns table (id text, workflow_id text, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  others jsonb := '{}';
  next record;
begin
  select e.definition, e.workflow_id into next from halyard.executions e
    where e.wants_runner_at is not null and e.runner is null order by e.definition limit 1;
  while next.definition is not null loop
    if workflows ? next.workflow_id and not definitions ? next.definition then
      others := others || jsonb_build_object(next.definition, '');
    end if;
    select e.definition, e.workflow_id into next from halyard.executions e
      where e.wants_runner_at is not null and e.runner is null and e.definition > next.definition
      order by e.definition limit 1;
  end loop;
  return query
    select due.id, due.workflow_id, due.since from (
      select free.id, free.workflow_id, free.since, free.key from halyard.due_levels(others) as level
      cross join lateral (
        select e.id, e.workflow_id, e.wants_runner_at as since, e.key from halyard.executions e
        where e.definition = level.definition and e.priority = level.priority and e.wants_runner_at <= now_ms
          and e.runner is null
        order by e.wants_runner_at, e.key limit most
      ) as free
      union all
      select lost.id, lost.workflow_id, ended.lease_until, lost.key
      from (select r.key, r.lease_until from halyard.runners r where r.lease_until <= now_ms order by r.key) as ended
      cross join lateral (
        select e.id, e.workflow_id, e.key from halyard.executions e
        where e.runner_key = ended.key and e.runner is not null and workflows ? e.workflow_id
          and not definitions ? e.definition
        order by e.key limit most
      ) as lost
    ) as due
    order by due.since, due.key limit most;
end
$function$;
`;
