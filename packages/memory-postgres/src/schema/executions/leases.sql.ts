import { nowMs } from '../fragments.ts';

/**
 * One lease for each process, so that idle executions cost the database nothing. A function locks
 * the row of its own runner before all others, and skips rows of other runners that are locked:
 * processes do not wait for each other.
 */
export const leases: string = `
-- A row for each lease. An execution is leased while its runner is set and the lease of its
-- runner_key has not run out. A lease that has run out is never extended: the next claim of its
-- runner inserts another row. Who takes an execution from such a runner first sets has_ended, so
-- that a renewal which began before and waits for the row does not extend the lease.
create table halyard.runners (
  key bigint generated always as identity primary key,
  name text not null,
  since bigint not null,
  lease_until bigint not null,
  has_ended boolean not null default false,
  -- The definitions for which it last asked. An execution of a definition that nobody can claim may be
  -- terminated.
  definitions jsonb
) with (fillfactor = 10);
create index runners_name on halyard.runners (name, key);
create index executions_of_runner on halyard.executions (runner_key, key) where runner is not null;

create function halyard.is_leased(key_of_runner bigint, now_ms bigint) returns boolean
language sql stable as $function$
  select exists (select from halyard.runners r where r.key = key_of_runner and r.lease_until > now_ms
    and not r.has_ended)
$function$;

-- Extends the lease of a runner. Returns its key; null when it has none that has not run out.
create function halyard.extend_lease(runner_name text, until_ms bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off as $function$
declare
  extended bigint;
begin
  update halyard.runners r set lease_until = greatest(r.lease_until, until_ms)
    where r.key = (select max(own.key) from halyard.runners own where own.name = runner_name)
      and r.lease_until > now_ms and not r.has_ended
    returning r.key into extended;
  return extended;
end
$function$;

-- Extends the lease of a runner, or begins one, and returns its key. Concurrent calls begin one.
create function halyard.take_lease(runner_name text, until_ms bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off as $function$
declare
  taken bigint := halyard.extend_lease(runner_name, until_ms, now_ms);
begin
  if taken is null then
    perform pg_advisory_xact_lock(hashtextextended(runner_name, hashtextextended('halyard', 10)));
    taken := halyard.extend_lease(runner_name, until_ms, now_ms);
  end if;
  if taken is null then
    insert into halyard.runners as r (name, lease_until, since) values (runner_name, until_ms, now_ms)
      returning r.key into taken;
  end if;
  return taken;
end
$function$;

-- Takes the leases of the runners of a batch of claims, in their order. Returns the keys by the names.
create function halyard.take_leases(batch jsonb, now_ms bigint) returns jsonb
language plpgsql as $function$
declare
  runner_keys jsonb := '{}';
  lease record;
begin
  for lease in select value->>'runner' as runner, max((value->>'leaseMs')::bigint) as ms
    from jsonb_array_elements(batch) where value ? 'runner' group by 1 order by 1 loop
    runner_keys := runner_keys || jsonb_build_object(lease.runner,
      halyard.take_lease(lease.runner, now_ms + lease.ms, now_ms));
  end loop;
  return runner_keys;
end
$function$;

-- Ends a lease that has run out for good. Returns false when it has not run out, or another
-- transaction has locked it.
create function halyard.end_lease(key_of_runner bigint, now_ms bigint) returns boolean
language plpgsql set enable_seqscan = off as $function$
begin
  if exists (select from halyard.runners r where r.key = key_of_runner and not r.has_ended) then
    perform from halyard.runners r where r.key = key_of_runner and r.lease_until <= now_ms for update skip locked;
    if not found then
      return false;
    end if;
    update halyard.runners r set has_ended = true where r.key = key_of_runner;
  end if;
  return true;
end
$function$;

-- Renews the lease of a runner, or begins one. Returns the ids of the held executions that it has
-- lost. Those that it claimed earlier and does not name are due at once.
create function halyard.renew_lease(
  runner_name text, ids text[], epochs integer[], lease_ms bigint, shift_ms bigint
) returns setof text
language plpgsql set enable_seqscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
  own_key constant bigint := halyard.take_lease(runner_name, now_ms + lease_ms, now_ms);
  freed_keys text[];
begin
  delete from halyard.runners r where r.key in (
    select ended.key from halyard.runners ended where ended.lease_until <= now_ms
      and (select e.key from halyard.executions e where e.runner_key = ended.key and e.runner is not null
        limit 1) is null
    order by ended.key for update skip locked);
  with released as (
    update halyard.executions e set runner = null, wants_runner_at = now_ms where e.key in (
      select forgotten.key from halyard.executions forgotten
        where forgotten.runner_key = own_key and forgotten.runner is not null and forgotten.wants_runner_at <= now_ms
          and (forgotten.id, forgotten.epoch) not in (select held.id, held.epoch
            from unnest(ids, epochs) as held (id, epoch))
      for update skip locked)
    returning e.concurrency_key
  ) select array_agg(concurrency_key) into freed_keys from released where concurrency_key is not null;
  if freed_keys is not null then
    perform halyard.wake_waiting(freed_keys, now_ms);
  end if;
  return query select held.id from unnest(ids, epochs) as held (id, epoch)
    left join halyard.executions e on e.id = held.id and e.epoch = held.epoch and e.root_key is null
      and e.runner is not null and e.runner_key = own_key
    where e.key is null;
end
$function$;

-- The runners for people who look at a server. Those whose lease has run out claim nothing.
create function halyard.list_runners(
  shift_ms bigint
) returns table (runner text, since bigint, lease_until bigint, executions bigint, definitions jsonb)
language sql stable as $function$
  select found.name, found.since, found.lease_until, found.executions,
    case when found.lease_until <= ${nowMs} then '[]' else found.definitions end
  from (
    select r.key, r.name, r.since, r.lease_until, r.has_ended, r.definitions,
      (select count(*) from halyard.executions e where e.runner_key = r.key and e.runner is not null) as executions
    from halyard.runners r
  ) as found
  where found.executions > 0 or not found.has_ended and found.lease_until > ${nowMs}
  order by found.key
$function$;
`;
