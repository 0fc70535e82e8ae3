import { nowMs } from '../fragments.ts';
import { neededBy } from './executions.sql.ts';

/** Giving executions to a runner, and taking those out that no process can run. */
export const claimExecutions: string = `
-- Claims executions that have one of the definitions. Returns for each, in their order, the JSON that its runner needs, null when it
-- cannot be claimed, or busy when another transaction has locked it, its concurrency key or the
-- lease that has run out. An execution without a place of its concurrency key waits from now on,
-- unless it has a request. One that waited already keeps its turn. One that a lost runner had leaves its
-- place to those that come before it.
--
-- A batch returns about a megabyte of executions that are large, and busy for the others that are,
-- so that it does not come near a time limit, which would fail the claims of all that share it.
create function halyard.claim_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
  runner_keys constant jsonb := halyard.take_leases(batch, now_ms);
  item jsonb;
  claimable record;
  max_bytes constant bigint := 1000000;
  bytes bigint := 0;
  freed_keys text[] := '{}';
  result text;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select e.key, e.runner, e.runner_key, e.concurrency_key, e.request_kind, pg_column_size(e.waits) + pg_column_size(e.input) + pg_column_size(e.state) as bytes
      into claimable from halyard.executions e
      where e.id = item->>'id' and e.root_key is null and (e.runner is not null or e.wants_runner_at <= now_ms)
        and (item->'definitions' is null or item->'definitions' ? e.definition)
      for update skip locked;
    if not found then
      perform from halyard.executions e where e.id = item->>'id' and e.root_key is null
        and (e.runner is not null or e.wants_runner_at <= now_ms)
        and (item->'definitions' is null or item->'definitions' ? e.definition);
      return next case when found then 'busy' end;
      continue;
    end if;
    if bytes >= max_bytes and claimable.bytes > 8000 then
      return next 'busy';
      continue;
    end if;
    if claimable.runner is not null then
      if halyard.is_leased(claimable.runner_key, now_ms) then
        return next null;
        continue;
      end if;
      if not halyard.end_lease(claimable.runner_key, now_ms) then
        return next 'busy';
        continue;
      end if;
    end if;
    if claimable.concurrency_key is not null and claimable.request_kind is null then
      if not halyard.try_lock_concurrency_key(claimable.concurrency_key) then
        return next 'busy';
        continue;
      end if;
      if halyard.must_wait(claimable.key, now_ms) then
        if claimable.runner is not null then
          freed_keys := freed_keys || claimable.concurrency_key;
        end if;
        return next null;
        continue;
      end if;
    end if;
    result := halyard.take_execution(claimable.key, item->>'runner', (runner_keys->>(item->>'runner'))::bigint,
      (item->>'leaseMs')::bigint, item->'definitions', now_ms);
    bytes := bytes + octet_length(result);
    return next result;
  end loop;
  if freed_keys <> '{}' then
    perform halyard.wake_waiting(freed_keys, now_ms);
  end if;
end
$function$;

-- Gives a locked execution to a runner. Returns the JSON that it needs: the journal and the
-- sub-workflows are read by separate statements after the root was locked, so that they include the
-- last commit of the previous runner.
create function halyard.take_execution(
  own_key bigint, runner_name text, key_of_runner bigint, lease_ms bigint, definitions jsonb, now_ms bigint
) returns text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  claimed halyard.executions;
  checkpoint record;
begin
  update halyard.executions e
    set status = 'running', quarantined_at = null, waiting_since = null,
      definition = coalesce(definitions->>e.definition, e.definition),
      epoch = e.epoch + 1, claims_without_commit = e.claims_without_commit + 1,
      runner = runner_name, runner_key = key_of_runner,
      wants_runner_at = now_ms + lease_ms
    where e.key = own_key
    returning * into claimed;
  select c.position, c.kept, c.data into checkpoint from halyard.execution_checkpoints c
    where c.root_key = claimed.key;
  return json_build_object(
    'now', now_ms,
    'execution', row_to_json(claimed),
    'journal', case when claimed.journal_position > 0 then
      (select json_agg(case when j.source is null then to_json(j.entry) else json_build_array(j.entry, j.source) end
        order by j.at_position)
        from halyard.needed_entries(claimed.key, checkpoint.position, checkpoint.kept) as j) end,
    'children', case when claimed.epoch > 1 and checkpoint.position is null then
      (select json_agg(row_to_json(c) order by c.key) from halyard.executions c where c.root_key = claimed.key)
    when claimed.epoch > 1 then
      (select json_agg(row_to_json(c) order by c.key) from halyard.executions c where ${neededBy('c.')} = claimed.key
        and c.root_key is not null) end,
    'checkpoint', checkpoint.data
  )::text;
end
$function$;

-- Whether so many claims were in vain that no process should claim an execution again: twice as many with
-- a request, which is then carried out without a quarantine, but not for ever.
create function halyard.is_exhausted(claims_without_commit integer, request_kind text, max_claims integer)
returns boolean
language sql immutable as $function$
  select claims_without_commit >= case when request_kind is null then max_claims else 2 * max_claims::bigint end
$function$;

-- Suspends an execution that no process can run. Returns whether it did. It does not wait for a locked
-- row: the next sweep tries again. The execution waits for its concurrency key no longer.
create function halyard.quarantine_execution(quarantine jsonb, shift_ms bigint) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
  event_count constant integer := jsonb_array_length(quarantine->'events');
  found_execution record;
  last_seq integer;
begin
  select e.key, e.runner, e.runner_key, e.concurrency_key into found_execution from halyard.executions e
    where e.id = quarantine->>'id' and e.root_key is null and e.wants_runner_at is not null
      and halyard.is_exhausted(e.claims_without_commit, e.request_kind, (quarantine->>'minClaims')::integer)
    for update skip locked;
  if not found or found_execution.runner is not null and not halyard.end_lease(found_execution.runner_key, now_ms) then
    return false;
  end if;
  update halyard.executions e set
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
  insert into halyard.execution_events select found_execution.key, last_seq - event_count + n, value
    from jsonb_array_elements_text(quarantine->'events') with ordinality as t (value, n);
  perform halyard.wake_waiting(array[found_execution.concurrency_key], now_ms);
  return true;
end
$function$;
`;
