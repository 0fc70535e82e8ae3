import { nowMs } from '../fragments.ts';

/**
 * Which executions need a runner now. Each definition and each of its priorities is one range of
 * an index.
 */
export const dueExecutions: string = `
create index executions_due on halyard.executions (workflow_id, wants_runner_at, key)
  where wants_runner_at is not null and runner is null;
create index executions_free_by_definition on halyard.executions (definition, wants_runner_at)
  where wants_runner_at is not null and runner is null;
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

-- The executions with these definitions that need a runner: those without one, and those whose
-- runner has lost its lease. Those of other shares follow when they have been due for a tenth of a
-- second: the lost ones always, those without a runner when the own shares have none that has been
-- due as long.
create function halyard.due_executions(definitions jsonb, most integer, runner_name text, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  own_key constant bigint := (
    select max(r.key) from halyard.runners r where r.name = runner_name and r.lease_until > now_ms);
  shares jsonb := '{}';
  found_count integer := 0;
  has_overdue boolean := false;
  own record;
begin
  if own_key is not null then
    update halyard.runners r set definitions = due_executions.definitions where r.key = own_key
      and r.definitions is distinct from due_executions.definitions;
    shares := halyard.shares_of(own_key, definitions, now_ms);
  end if;
  for own in select due.* from halyard.due_of_shares(definitions, most, shares, false, true, now_ms) as due
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
      from halyard.due_of_shares(definitions, most, shares, true, not has_overdue, now_ms - 100) as other
      order by hashtextextended(other.id, own_key) limit least(50, most - found_count);
  end if;
end
$function$;

-- The share of a runner of each definition that others have asked for as well: how many they are,
-- and how many of them come before it.
create function halyard.shares_of(own_key bigint, definitions jsonb, now_ms bigint) returns jsonb
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
begin
  return (
    select coalesce(jsonb_object_agg(shared.definition, jsonb_build_array(shared.runners, shared.before)), '{}') from (
      select asked.definition, count(*) as runners, count(*) filter (where r.key < own_key) as before
      from halyard.runners r cross join lateral jsonb_array_elements_text(r.definitions) as asked (definition)
      where r.lease_until > now_ms and shares_of.definitions ? asked.definition
      group by asked.definition having count(*) > 1
    ) as shared);
end
$function$;

-- The executions that have been due since latest_ms, of these shares or of all others, with or
-- without those that have no runner. The key of an execution decides to whose share it belongs. To
-- compile the query would take much longer than to run it, and to sort would read the whole backlog
-- of a definition.
create function halyard.due_of_shares(
  definitions jsonb, most integer, shares jsonb, is_other boolean, with_free boolean, latest_ms bigint
) returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint,
  key bigint, is_lost boolean)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off
  set enable_sort = off set enable_incremental_sort = off as $function$
#variable_conflict use_column
begin
  if with_free then
    return query
      select free.id, free.workflow_id, free.priority, free.claims_without_commit, free.wants_runner_at, free.key, false
      from (
        select definition, coalesce((shares->definition->>0)::bigint, 1) as runners,
          coalesce((shares->definition->>1)::bigint, 0) as before
        from jsonb_array_elements_text(definitions) as given (definition)
      ) as wanted
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
      ) as levels
      cross join lateral (
        select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.wants_runner_at, e.key
        from halyard.executions e
        where e.definition = wanted.definition and e.priority = levels.priority and e.wants_runner_at <= latest_ms
          and e.runner is null
          and (e.key % wanted.runners = wanted.before) <> is_other
        order by e.wants_runner_at, e.key limit most
      ) as free;
  end if;
  return query
    select lost.id, lost.workflow_id, lost.priority, lost.claims_without_commit, ended.lease_until, lost.key, true
    from (select r.key, r.lease_until from halyard.runners r where r.lease_until <= latest_ms order by r.key) as ended
    cross join lateral (
      select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.key from halyard.executions e
      where e.runner_key = ended.key and e.runner is not null and definitions ? e.definition
        and (e.key % coalesce((shares->e.definition->>0)::bigint, 1)
          = coalesce((shares->e.definition->>1)::bigint, 0)) <> is_other
      order by e.priority desc, e.key limit most
    ) as lost;
end
$function$;

-- Called instead of due_executions when more is due than a read returns: users take turns. It costs
-- more, but no more when one user has more executions that are due.
create function halyard.due_in_turns(definitions jsonb, most integer, runner_name text, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  own_key constant bigint := (
    select max(r.key) from halyard.runners r where r.name = runner_name and r.lease_until > now_ms);
  shares constant jsonb := case when own_key is null then '{}' else halyard.shares_of(own_key, definitions, now_ms) end;
begin
  return query
    with subjects as materialized (
      select * from halyard.due_subjects(definitions, now_ms)
    ), firsts as (
      select first.key, first.wants_runner_at as since from subjects
      cross join lateral (
        select e.key, e.wants_runner_at from halyard.executions e
        where e.definition = subjects.definition and e.priority = subjects.priority
          and halyard.subject_hash(e.subject) = subjects.subject
          and e.wants_runner_at <= now_ms and e.runner is null
          and e.key % coalesce((shares->subjects.definition->>0)::bigint,
            1) = coalesce((shares->subjects.definition->>1)::bigint, 0)
        order by e.wants_runner_at, e.key
        limit (select greatest(50, ceil(most::numeric / count(distinct subject))) from subjects)
      ) as first
    ), oldest as (
      select due.key, due.due_at as since
      from halyard.due_of_shares(definitions, most, shares, false, true, now_ms) as due
      order by due.priority desc, due.due_at, due.key limit most
    ), lost as (
      select due.key, due.due_at as since
      from halyard.due_of_shares(definitions, most, shares, false, false, now_ms) as due
    ), ranked as (
      select e.id, e.workflow_id, e.priority, e.claims_without_commit, candidate.since, e.key,
        row_number() over (partition by halyard.subject_hash(e.subject)
          order by e.priority desc, candidate.since, e.key) as turn
      from (select * from firsts union select * from oldest union select * from lost) as candidate
      join halyard.executions e on e.key = candidate.key
    ), taken as (
      select * from ranked order by turn, priority desc, since, key limit most
    )
    select taken.id, taken.workflow_id, taken.priority, taken.claims_without_commit, taken.since from taken
    order by taken.priority desc, taken.since, taken.key;
end
$function$;

-- The users that have something due, by definition and priority. Each is found by one step in the
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
      select wanted.definition, found.priority from jsonb_array_elements_text(definitions) as wanted (definition)
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
-- longest first.
create function halyard.due_elsewhere(workflows jsonb, definitions jsonb, most integer, shift_ms bigint)
returns table (id text, workflow_id text, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
begin
  return query
    select due.id, due.workflow_id, due.since from (
      select free.id, free.workflow_id, free.since, free.key
      from jsonb_array_elements_text(workflows) as wanted (workflow_id)
      cross join lateral (
        select e.id, e.workflow_id, e.wants_runner_at as since, e.key from halyard.executions e
        where e.workflow_id = wanted.workflow_id and e.wants_runner_at <= now_ms and e.runner is null
          and not definitions ? e.definition
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
