import type { Migration } from './migration.ts';

/**
 * Users take turns when more is due than a read returns. `due_in_turns` is called instead of `due_executions` then: it costs more, but no more when one user has more executions that are due.
 *
 * The index has the executions of each user in one place. Its order of users is that of a hash, so that a read can begin at a random one: it looks at a limited number of users.
 */
export const dueInTurns: Migration = {
  number: 27,
  name: 'due-in-turns',
  sql: (schema) => `
create function ${schema}.subject_of(user_id text) returns bigint
language sql immutable as $function$
  select hashtextextended(coalesce(user_id, ''), 0)
$function$;
create index executions_due_by_subject on ${schema}.executions (definition, priority, ${schema}.subject_of(user_id), wants_runner_at, key)
  where wants_runner_at is not null and runner is null;

${firstDueSubjects(schema)}

create function ${schema}.due_in_turns(definitions jsonb, most integer, runner_name text, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, due_at bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  own_key constant bigint := (select max(r.key) from ${schema}.runners r where r.name = runner_name and r.lease_until > now_ms);
  shares constant jsonb := case when own_key is null then '{}' else ${schema}.shares_of(own_key, definitions, now_ms) end;
begin
  return query
    with subjects as materialized (
      select * from ${schema}.due_subjects(definitions, now_ms)
    ), firsts as (
      select first.key, first.wants_runner_at as since from subjects
      cross join lateral (
        select e.key, e.wants_runner_at from ${schema}.executions e
        where e.definition = subjects.definition and e.priority = subjects.priority and ${schema}.subject_of(e.user_id) = subjects.subject
          and e.wants_runner_at <= now_ms and e.runner is null
          and e.key % coalesce((shares->subjects.definition->>0)::bigint, 1) = coalesce((shares->subjects.definition->>1)::bigint, 0)
        order by e.wants_runner_at, e.key
        limit (select greatest(50, ceil(most::numeric / count(distinct subject))) from subjects)
      ) as first
    ), oldest as (
      select due.key, due.due_at as since from ${schema}.due_of_shares(definitions, most, shares, false, true, now_ms) as due
      order by due.priority desc, due.due_at, due.key limit most
    ), lost as (
      select due.key, due.due_at as since from ${schema}.due_of_shares(definitions, most, shares, false, false, now_ms) as due
    ), ranked as (
      select e.id, e.workflow_id, e.priority, e.claims_without_commit, candidate.since, e.key,
        row_number() over (partition by ${schema}.subject_of(e.user_id) order by e.priority desc, candidate.since, e.key) as turn
      from (select * from firsts union select * from oldest union select * from lost) as candidate
      join ${schema}.executions e on e.key = candidate.key
    ), taken as (
      select * from ranked order by turn, priority desc, since, key limit most
    )
    select taken.id, taken.workflow_id, taken.priority, taken.claims_without_commit, taken.since from taken
    order by taken.priority desc, taken.since, taken.key;
end
$function$;`,
};

/** The users that have something due, by definition and priority. Each is found by one step in the index, also those whose executions are not due yet: at most a thousand, from a random one on. */
function firstDueSubjects(schema: string): string {
  return `
create function ${schema}.due_subjects(definitions jsonb, now_ms bigint) returns table (definition text, priority smallint, subject bigint)
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
          select (select e.priority from ${schema}.executions e
            where e.definition = wanted.definition and e.wants_runner_at is not null and e.runner is null order by e.priority desc limit 1)
          union all
          select (select e.priority from ${schema}.executions e
            where e.definition = wanted.definition and e.wants_runner_at is not null and e.runner is null and e.priority < level.priority
            order by e.priority desc limit 1)
          from level where level.priority is not null
        )
        select level.priority from level where level.priority is not null
      ) as found
    )
    select levels.definition, levels.priority, found.subject from levels
    cross join (values (first_subject, 9223372036854775807), (-9223372036854775808, first_subject - 1)) as part (low, high)
    cross join lateral (
      with recursive next (subject, since, n) as (
        (select ${schema}.subject_of(e.user_id), e.wants_runner_at, 1 from ${schema}.executions e
          where e.definition = levels.definition and e.priority = levels.priority and e.wants_runner_at is not null and e.runner is null
            and ${schema}.subject_of(e.user_id) >= part.low and ${schema}.subject_of(e.user_id) <= part.high
          order by ${schema}.subject_of(e.user_id), e.wants_runner_at limit 1)
        union all
        select following.subject, following.since, next.n + 1 from next
        cross join lateral (
          select ${schema}.subject_of(e.user_id) as subject, e.wants_runner_at as since from ${schema}.executions e
          where e.definition = levels.definition and e.priority = levels.priority and e.wants_runner_at is not null and e.runner is null
            and ${schema}.subject_of(e.user_id) > next.subject and ${schema}.subject_of(e.user_id) <= part.high
          order by ${schema}.subject_of(e.user_id), e.wants_runner_at limit 1
        ) as following
        where next.n < max_subjects
      )
      select next.subject from next where next.since <= now_ms
    ) as found;
end
$function$;`;
}
