import type { Migration } from './migration.ts';

/**
 * One lease for each process instead of one for each execution, so that idle executions cost the database nothing.
 *
 * `runners` has a row for each lease. An execution is leased while its `runner` is set and the lease of its `runner_key` has not run out. `wants_runner_at` is then the end of the lease that its claim asked for; the
 * indexes of due executions contain only those without a runner. A lease that has run out is never extended: the next claim of its runner inserts another row.
 *
 * Whoever takes an execution from a runner whose lease has run out first sets `has_ended`, so that a renewal which began before and waits for the row does not extend the lease.
 *
 * A function locks the row of its own runner before all others, and skips rows of other runners that are locked, so that processes do not wait for each other.
 */
export const leases: Migration = {
  number: 10,
  name: 'leases',
  sql: (schema) => `
create table ${schema}.runners (
  key bigint generated always as identity primary key,
  name text not null,
  lease_until bigint not null,
  has_ended boolean not null default false
) with (fillfactor = 10);
create index runners_name on ${schema}.runners (name, key);

alter table ${schema}.executions add column runner_key bigint;
insert into ${schema}.runners (name, lease_until)
  select e.runner, max(e.wants_runner_at) from ${schema}.executions e where e.runner is not null and e.wants_runner_at is not null group by e.runner;
update ${schema}.executions e set runner_key = r.key from ${schema}.runners r where e.runner = r.name;
create index executions_of_runner on ${schema}.executions (runner_key, key) where runner is not null;

drop index ${schema}.executions_due;
drop index ${schema}.executions_due_by_priority;
create index executions_due on ${schema}.executions (workflow_id, wants_runner_at, key) where wants_runner_at is not null and runner is null;
create index executions_due_by_priority on ${schema}.executions (definition, priority desc, wants_runner_at, key)
  where wants_runner_at is not null and runner is null;

drop function ${schema}.renew_execution;

create function ${schema}.is_leased(key_of_runner bigint, now_ms bigint) returns boolean
language sql stable as $function$
  select exists (select from ${schema}.runners r where r.key = key_of_runner and r.lease_until > now_ms and not r.has_ended)
$function$;

${extendLease(schema)}
${takeLease(schema)}
${endLease(schema)}
${renewLease(schema)}
${placesTaken(schema)}
${claimExecutions(schema)}
${quarantineExecution(schema)}`,
};

/** Extends the lease of a runner. Returns its key; null when it has none that has not run out. */
function extendLease(schema: string): string {
  return `
create function ${schema}.extend_lease(runner_name text, until_ms bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off as $function$
declare
  extended bigint;
begin
  update ${schema}.runners r set lease_until = greatest(r.lease_until, until_ms)
    where r.key = (select max(own.key) from ${schema}.runners own where own.name = runner_name) and r.lease_until > now_ms and not r.has_ended
    returning r.key into extended;
  return extended;
end
$function$;`;
}

/** Extends the lease of a runner, or begins one, and returns its key. Concurrent calls for a runner begin one. */
function takeLease(schema: string): string {
  return `
create function ${schema}.take_lease(runner_name text, until_ms bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off as $function$
declare
  taken bigint := ${schema}.extend_lease(runner_name, until_ms, now_ms);
begin
  if taken is null then
    perform pg_advisory_xact_lock(hashtextextended(runner_name, hashtextextended('${schema.replaceAll("'", "''")}', 10)));
    taken := ${schema}.extend_lease(runner_name, until_ms, now_ms);
  end if;
  if taken is null then
    insert into ${schema}.runners as r (name, lease_until) values (runner_name, until_ms) returning r.key into taken;
  end if;
  return taken;
end
$function$;`;
}

/** Ends a lease that has run out for good. Returns false when it has not run out, or another transaction has locked it. */
function endLease(schema: string): string {
  return `
create function ${schema}.end_lease(key_of_runner bigint, now_ms bigint) returns boolean
language plpgsql set enable_seqscan = off as $function$
begin
  if exists (select from ${schema}.runners r where r.key = key_of_runner and not r.has_ended) then
    perform from ${schema}.runners r where r.key = key_of_runner and r.lease_until <= now_ms for update skip locked;
    if not found then
      return false;
    end if;
    update ${schema}.runners r set has_ended = true where r.key = key_of_runner;
  end if;
  return true;
end
$function$;`;
}

/** Renews the lease of a runner, or begins one. Returns the ids of the \`held\` executions that it has lost. Those that it claimed earlier and does not name are due at once. */
function renewLease(schema: string): string {
  return `
create function ${schema}.renew_lease(runner_name text, ids text[], epochs integer[], lease_ms bigint, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  own_key constant bigint := ${schema}.take_lease(runner_name, now_ms + lease_ms, now_ms);
begin
  delete from ${schema}.runners r where r.key in (
    select ended.key from ${schema}.runners ended where ended.lease_until <= now_ms
      and (select e.key from ${schema}.executions e where e.runner_key = ended.key and e.runner is not null limit 1) is null
    order by ended.key for update skip locked);
  update ${schema}.executions e set runner = null, wants_runner_at = now_ms where e.key in (
    select forgotten.key from ${schema}.executions forgotten
      where forgotten.runner_key = own_key and forgotten.runner is not null and forgotten.wants_runner_at <= now_ms
        and (forgotten.id, forgotten.epoch) not in (select held.id, held.epoch from unnest(ids, epochs) as held (id, epoch))
    for update skip locked);
  return query select held.id from unnest(ids, epochs) as held (id, epoch)
    left join ${schema}.executions e on e.id = held.id and e.epoch = held.epoch and e.root_key is null and e.runner is not null and e.runner_key = own_key
    where e.key is null;
end
$function$;`;
}

/** How many executions with a concurrency key run or are admitted. */
function placesTaken(schema: string): string {
  return `
create or replace function ${schema}.places_taken(key_of_places text, except_key bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
begin
  return (
    select count(*) from ${schema}.executions e
      where e.concurrency_key = key_of_places and e.wants_runner_at is not null and (e.runner is not null or e.waiting_since is not null)
        and case when e.runner is null then e.wants_runner_at > now_ms - 10000 else ${schema}.is_leased(e.runner_key, now_ms) end
        and e.key <> except_key);
end
$function$;`;
}

/**
 * Claims executions that have no more than `maxClaims` claims without a commit, and one of the `definitions`. Returns for each, in their order, the JSON that its runner needs, null when it cannot be claimed, or `busy` when another transaction has locked it, its concurrency key or the lease that has run out.
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
  runner_keys jsonb := '{}';
  item jsonb;
  lease record;
  claimable record;
  claimed ${schema}.executions;
begin
  for lease in select value->>'runner' as runner, max((value->>'leaseMs')::bigint) as ms, null::bigint as key from jsonb_array_elements(batch) group by 1 order by 1 loop
    lease.key := ${schema}.take_lease(lease.runner, now_ms + lease.ms, now_ms);
    runner_keys := runner_keys || jsonb_build_object(lease.runner, lease.key);
  end loop;
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.runner, e.runner_key, e.priority, e.concurrency_key, e.concurrency_limit, e.waiting_since, e.request_kind into claimable from ${schema}.executions e
      where e.id = item->>'id' and e.root_key is null and (e.runner is not null or e.wants_runner_at <= now_ms)
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition)
      for update skip locked;
    if not found then
      perform from ${schema}.executions e where e.id = item->>'id' and e.root_key is null and (e.runner is not null or e.wants_runner_at <= now_ms)
        and e.claims_without_commit <= coalesce((item->>'maxClaims')::integer, e.claims_without_commit)
        and (item->'definitions' is null or item->'definitions' ? e.definition);
      return next case when found then 'busy' end;
      continue;
    end if;
    if claimable.runner is not null then
      if ${schema}.is_leased(claimable.runner_key, now_ms) then
        return next null;
        continue;
      end if;
      if not ${schema}.end_lease(claimable.runner_key, now_ms) then
        return next 'busy';
        continue;
      end if;
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
      set status = 'running', quarantined_at = null, waiting_since = null, definition = coalesce(item->'definitions'->>e.definition, e.definition), epoch = e.epoch + 1,
        runner = item->>'runner', runner_key = (runner_keys->>(item->>'runner'))::bigint, claims_without_commit = e.claims_without_commit + 1,
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
  found_execution record;
  last_seq integer;
begin
  select e.key, e.runner, e.runner_key into found_execution from ${schema}.executions e
    where e.id = quarantine->>'id' and e.root_key is null and (e.runner is not null or e.wants_runner_at <= now_ms)
      and e.claims_without_commit >= (quarantine->>'minClaims')::integer
    for update skip locked;
  if not found or found_execution.runner is not null and not ${schema}.end_lease(found_execution.runner_key, now_ms) then
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
    where e.key = found_execution.key
    returning e.seq into last_seq;
  insert into ${schema}.execution_events select found_execution.key, last_seq - event_count + n, value
    from jsonb_array_elements_text(quarantine->'events') with ordinality as t (value, n);
  return true;
end
$function$;`;
}
