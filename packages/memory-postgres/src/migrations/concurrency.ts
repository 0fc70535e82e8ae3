import type { Migration } from './migration.ts';

/**
 * Limits per key of how many executions run at the same time, and priorities.
 *
 * An execution takes a place of its `concurrency_key` while its lease lasts, and after its admission until it is claimed, for at most 10 seconds. No row counts the places: they are
 * found by an index that has only the executions that take one. So every write that ends a lease also frees the place, and a process that dies frees its places with its leases.
 *
 * An execution waits while `waiting_since` is set and `wants_runner_at` is null. It is then in no other index of due executions, however many wait.
 *
 * Claims and admissions of a key lock it, so that the places of a key are not given twice. They wait for nothing while they hold the lock, and do not wait for it either: the call is `busy`.
 * A process admits after it has released an execution. Either it sees the execution that a claim has just made wait, or the claim sees the place that is free.
 */
export const concurrency: Migration = {
  number: 9,
  name: 'concurrency',
  sql: (schema) => `
alter table ${schema}.executions
  add column priority smallint not null default 0,
  add column concurrency_key text,
  add column concurrency_limit integer,
  add column waiting_since bigint;
create index executions_with_place on ${schema}.executions (concurrency_key, wants_runner_at)
  where concurrency_key is not null and wants_runner_at is not null and (runner is not null or waiting_since is not null);
create index executions_waiting on ${schema}.executions (concurrency_key, priority desc, waiting_since, key)
  where waiting_since is not null and wants_runner_at is null;
drop index ${schema}.executions_due_by_definition;
create index executions_due_by_priority on ${schema}.executions (definition, priority desc, wants_runner_at, key)
  where wants_runner_at is not null;

create function ${schema}.try_lock_concurrency_key(concurrency_key text) returns boolean
language sql volatile as $function$
  select pg_try_advisory_xact_lock(hashtextextended(concurrency_key, hashtextextended('${schema.replaceAll("'", "''")}', 9)))
$function$;

create function ${schema}.places_taken(key_of_places text, except_key bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
begin
  return (
    select count(*) from ${schema}.executions e
      where e.concurrency_key = key_of_places and e.wants_runner_at > now_ms - 10000 and (e.runner is not null or e.waiting_since is not null)
        and (e.runner is null or e.wants_runner_at > now_ms) and e.key <> except_key);
end
$function$;

create function ${schema}.admit_executions(keys jsonb, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, busy_key text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  key_of_places text;
  taken bigint;
  waiter record;
begin
  for key_of_places in select value from jsonb_array_elements_text(keys) loop
    if not ${schema}.try_lock_concurrency_key(key_of_places) then
      return query select null, null, null::smallint, null::integer, key_of_places;
      continue;
    end if;
    taken := ${schema}.places_taken(key_of_places, 0, now_ms);
    loop
      select e.key, e.concurrency_limit into waiter from ${schema}.executions e
        where e.concurrency_key = key_of_places and e.waiting_since is not null and e.wants_runner_at is null
        order by e.priority desc, e.waiting_since, e.key limit 1 for update skip locked;
      exit when not found or taken >= waiter.concurrency_limit;
      taken := taken + 1;
      return query update ${schema}.executions e set wants_runner_at = now_ms where e.key = waiter.key
        returning e.id, e.workflow_id, e.priority, e.claims_without_commit, null;
    end loop;
  end loop;
end
$function$;

create function ${schema}.waiting_keys(after_key text, most integer) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  last_key text := after_key;
begin
  for n in 1..most loop
    select e.concurrency_key into last_key from ${schema}.executions e
      where e.waiting_since is not null and e.wants_runner_at is null and e.concurrency_key > last_key
      order by e.concurrency_key limit 1;
    exit when not found;
    return next last_key;
  end loop;
end
$function$;

${dueExecutions(schema)}
${renewExecution(schema)}
${createExecutions(schema)}
${claimExecutions(schema)}
${quarantineExecution(schema)}`,
};

/** The executions with these definitions that need a runner now. Each definition and each of its priorities is one range of the index. To compile the query would take much longer than to run it. */
function dueExecutions(schema: string): string {
  return `
create function ${schema}.due_executions(definitions jsonb, most integer, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
begin
  return query
    select due.id, due.workflow_id, due.priority, due.claims_without_commit
    from jsonb_array_elements_text(definitions) as wanted (definition)
    cross join lateral (
      with recursive level (priority) as (
        select (select e.priority from ${schema}.executions e
          where e.definition = wanted.definition and e.wants_runner_at is not null order by e.priority desc limit 1)
        union all
        select (select e.priority from ${schema}.executions e
          where e.definition = wanted.definition and e.wants_runner_at is not null and e.priority < level.priority order by e.priority desc limit 1)
        from level where level.priority is not null
      )
      select level.priority from level where level.priority is not null
    ) as levels
    cross join lateral (
      select e.id, e.workflow_id, e.priority, e.claims_without_commit, e.wants_runner_at, e.key from ${schema}.executions e
      where e.definition = wanted.definition and e.priority = levels.priority and e.wants_runner_at <= now_ms
      order by e.wants_runner_at, e.key limit most
    ) as due
    order by due.priority desc, due.wants_runner_at, due.key limit most;
end
$function$;`;
}

/** Renews a lease. One that has run out is `lost` if another execution may have taken its place. It waits a quarter of a second for a locked row. */
function renewExecution(schema: string): string {
  return `
create or replace function ${schema}.renew_execution(execution_id text, held_epoch integer, lease_ms bigint, shift_ms bigint) returns text
language plpgsql set lock_timeout = '250ms' set enable_seqscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
begin
  update ${schema}.executions e set wants_runner_at = now_ms + lease_ms
    where e.id = execution_id and e.epoch = held_epoch and e.root_key is null and e.runner is not null
      and (e.concurrency_key is null or e.wants_runner_at > now_ms);
  return case when found then 'renewed' else 'lost' end;
exception when lock_not_available then
  return 'busy';
end
$function$;`;
}

/** Creates executions with their first events. Returns one result for each, in their order. An execution with `dueInMs` is due that much later. */
function createExecutions(schema: string): string {
  return `
create or replace function ${schema}.create_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  new_key bigint;
  result text;
begin
  for item in select value from jsonb_array_elements(batch) loop
    insert into ${schema}.executions (
      id, root_id, path, workflow_id, workflow_name, conversation_id, user_id, status, request_id, created_at, updated_at, wants_runner_at,
      priority, concurrency_key, concurrency_limit,
      definition, seq, journal_position, metadata_digests, waits, state, input, context, metadata, user_snapshot
    ) values (
      item->>'id', item->>'id', '', item->>'workflowId', item->>'workflowName', item->>'conversationId', item->>'userId', 'running',
      item->>'requestId', now_ms, now_ms, now_ms + coalesce((item->>'dueInMs')::bigint, 0),
      coalesce((item->>'priority')::smallint, 0), item->>'concurrencyKey', (item->>'concurrencyLimit')::integer,
      coalesce(item->>'definition', item->>'workflowId'), jsonb_array_length(item->'events'), jsonb_array_length(item->'journal'),
      array(select jsonb_array_elements_text(item->'metadataDigests')), item->'waits', item->'state', item->>'input', item->>'context',
      item->>'metadata', item->>'user'
    ) on conflict (id) do nothing returning key into new_key;
    if new_key is null then
      select case when e.parent_id is null and e.request_id = item->>'requestId' then 'created' else 'taken' end
        into result from ${schema}.executions e where e.id = item->>'id';
      return next coalesce(result, 'taken');
      continue;
    end if;
    insert into ${schema}.execution_events
      select new_key, n, value from jsonb_array_elements_text(item->'events') with ordinality as t (value, n);
    if jsonb_array_length(item->'journal') > 0 then
      insert into ${schema}.execution_journal
        select new_key, n, value->>0, value->>1 from jsonb_array_elements(item->'journal') with ordinality as t (value, n);
    end if;
    return next 'created';
  end loop;
end
$function$;`;
}

/**
 * Claims executions that have no more than `maxClaims` claims without a commit, and one of the `definitions`. Returns for each, in their order, the JSON that its runner needs, null when it cannot be claimed, or `busy` when another transaction has locked it or its concurrency key.
 *
 * An execution without a place of its concurrency key waits from now on, unless it has a request. One that waited already keeps its turn.
 *
 * The journal and the sub-workflows are read by separate statements after the root is locked, so that they include the last commit of the previous runner.
 */
function claimExecutions(schema: string): string {
  return `
create or replace function ${schema}.claim_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  claimable record;
  claimed ${schema}.executions;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.priority, e.concurrency_key, e.concurrency_limit, e.waiting_since, e.request_kind into claimable from ${schema}.executions e
      where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition)
      for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition);
      return next case when found then 'busy' end;
      continue;
    end if;
    if claimable.concurrency_key is not null and claimable.request_kind is null then
      if not ${schema}.try_lock_concurrency_key(claimable.concurrency_key) then
        return next 'busy';
        continue;
      end if;
      if ${schema}.places_taken(claimable.concurrency_key, claimable.key, now_ms) >= claimable.concurrency_limit
        or claimable.waiting_since is null and exists (select from ${schema}.executions w
          where w.concurrency_key = claimable.concurrency_key and w.waiting_since is not null and w.wants_runner_at is null
            and w.priority >= claimable.priority)
      then
        update ${schema}.executions e set wants_runner_at = null, runner = null, waiting_since = coalesce(e.waiting_since, now_ms)
          where e.key = claimable.key;
        return next null;
        continue;
      end if;
    end if;
    update ${schema}.executions e
      set status = 'running', quarantined_at = null, waiting_since = null, definition = coalesce(item->'definitions'->>e.definition, e.definition), epoch = e.epoch + 1, runner = item->>'runner', claims_without_commit = e.claims_without_commit + 1,
        wants_runner_at = now_ms + (item->>'leaseMs')::bigint
      where e.key = claimable.key
      returning * into claimed;
    return next json_build_object(
      'now', now_ms,
      'execution', row_to_json(claimed),
      'journal', case when claimed.journal_position > 0 then
        (select json_agg(j.entry order by j.position) from ${schema}.execution_journal j where j.root_key = claimed.key) end,
      'children', case when claimed.epoch > 1 then
        (select json_agg(row_to_json(c) order by c.key) from ${schema}.executions c where c.root_key = claimed.key) end
    )::text;
  end loop;
end
$function$;`;
}

/** Suspends an execution that no process can run. Returns whether it did. It waits for its concurrency key no longer. */
function quarantineExecution(schema: string): string {
  return `
create or replace function ${schema}.quarantine_execution(quarantine jsonb, shift_ms bigint) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  event_count constant integer := jsonb_array_length(quarantine->'events');
  found_key bigint;
  last_seq integer;
begin
  select e.key into found_key from ${schema}.executions e
    where e.id = quarantine->>'id' and e.root_key is null and e.wants_runner_at <= now_ms
      and e.claims_without_commit >= (quarantine->>'minClaims')::integer
    for update skip locked;
  if not found then
    return false;
  end if;
  update ${schema}.executions e set
      status = 'suspended',
      quarantined_at = now_ms,
      waiting_since = null,
      updated_at = now_ms,
      epoch = e.epoch + 1,
      runner = null,
      wants_runner_at = null,
      claims_without_commit = 0,
      waits = e.waits || (quarantine->'waits'),
      seq = e.seq + event_count
    where e.key = found_key
    returning e.seq into last_seq;
  insert into ${schema}.execution_events select found_key, last_seq - event_count + n, value
    from jsonb_array_elements_text(quarantine->'events') with ordinality as t (value, n);
  return true;
end
$function$;`;
}
