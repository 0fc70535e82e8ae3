import { nowMs } from '../fragments.ts';

/** Limits per key of how many executions run at the same time. */
export const concurrency: string = `
-- Every write that ends a lease also frees the place: these indexes have only the executions that
-- take a place or wait for one, and a process that dies frees its places with its lease.
create index executions_with_place on halyard.executions (concurrency_key, wants_runner_at)
  where concurrency_key is not null and wants_runner_at is not null
    and (runner is not null or waiting_since is not null);
create index executions_waiting on halyard.executions (concurrency_key, priority desc, waiting_since, key)
  where waiting_since is not null and wants_runner_at is null;

-- How many executions with a key run or are admitted.
create function halyard.places_taken(key_of_places text, except_key bigint, now_ms bigint) returns bigint
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
begin
  return (
    select count(*) from halyard.executions e
      where e.concurrency_key = key_of_places and e.wants_runner_at is not null
        and (e.runner is not null or e.waiting_since is not null)
        and case when e.runner is null then e.wants_runner_at > now_ms - 10000
          else halyard.is_leased(e.runner_key, now_ms) end
        and e.key <> except_key);
end
$function$;

-- Gives free places to those that wait. A process admits after it has released an execution: either
-- it sees the execution that a claim has just made wait, or the claim sees the free place.
create function halyard.admit_executions(keys jsonb, shift_ms bigint)
returns table (id text, workflow_id text, priority smallint, claims_without_commit integer, busy_key text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  key_of_places text;
  taken bigint;
  waiter record;
begin
  for key_of_places in select value from jsonb_array_elements_text(keys) loop
    if not halyard.try_lock_concurrency_key(key_of_places) then
      return query select null, null, null::smallint, null::integer, key_of_places;
      continue;
    end if;
    taken := halyard.places_taken(key_of_places, 0, now_ms);
    loop
      select e.key, e.concurrency_limit into waiter from halyard.executions e
        where e.concurrency_key = key_of_places and e.waiting_since is not null and e.wants_runner_at is null
        order by e.priority desc, e.waiting_since, e.key limit 1 for update skip locked;
      exit when not found or taken >= waiter.concurrency_limit;
      taken := taken + 1;
      return query update halyard.executions e set wants_runner_at = now_ms where e.key = waiter.key
        returning e.id, e.workflow_id, e.priority, e.claims_without_commit, null;
    end loop;
  end loop;
end
$function$;

create function halyard.waiting_keys(after_key text, most integer) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  last_key text := after_key;
begin
  for n in 1..most loop
    select e.concurrency_key into last_key from halyard.executions e
      where e.waiting_since is not null and e.wants_runner_at is null and e.concurrency_key > last_key
      order by e.concurrency_key limit 1;
    exit when not found;
    return next last_key;
  end loop;
end
$function$;
`;
