/**
 * Limits per key of how many executions run at the same time.
 *
 * Lock order. Claims only try the lock of a key, and hold rows that are due; one that frees a place
 * has locked its key before. Whatever frees a place calls `wake_waiting` last, which waits for the
 * locks of its keys in their order, and then for rows that wait and are not due. So nobody may wait
 * for the lock of a key while it has locked such a row: what is not due has no place that could be
 * freed.
 */
export const concurrency: string = `
-- The places and the starts of a key are decided by one transaction at a time. Claims lock concurrency
-- keys, starts lock singleton, throttle and debounce keys. They only try this lock: the call is busy.
create function halyard.try_lock_concurrency_key(concurrency_key text) returns boolean
language sql volatile as $function$
  select pg_try_advisory_xact_lock(hashtextextended(concurrency_key, hashtextextended('halyard', 9)))
$function$;

-- An execution has a place while it has a runner, also one whose lease has run out, until another
-- process takes its executions. Those that wait are not due; when a place is free, they are due and
-- keep their turn. These indexes have only the executions that have a place or wait for one.
create index executions_with_place on halyard.executions (concurrency_key, definition)
  where concurrency_key is not null and wants_runner_at is not null
    and (runner is not null or waiting_since is not null);
create index executions_waiting on halyard.executions
  (concurrency_key, definition, priority desc, waiting_since, key)
  where waiting_since is not null and wants_runner_at is null;

-- How many executions with a key run, others than this one, and how many with its definition are due
-- after they have waited and come before it. Those of other definitions do not count: no process may be
-- able to run them.
create function halyard.places_before(
  own_key bigint, key_of_places text, own_definition text, own_priority smallint, waits_since bigint
) returns bigint
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
begin
  return (
    select count(*) from halyard.executions e
      where e.concurrency_key = key_of_places and e.wants_runner_at is not null
        and (e.runner is not null or e.waiting_since is not null)
        and e.key <> own_key
        and (e.runner is not null or e.definition = own_definition and (e.priority > own_priority
          or e.priority = own_priority and (e.waiting_since, e.key) < (waits_since, own_key))));
end
$function$;

-- Makes those due that wait for these keys, as many as places are free: of each definition the highest
-- priority first, then those that have waited longest. Called after the places were freed: either it
-- sees an execution that a claim has just made wait, or the claim sees the free place.
create function halyard.wake_waiting(keys text[], now_ms bigint) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  key_of_places text;
  waiter record;
  last_definition text;
begin
  for key_of_places in select freed.key from (select distinct key from unnest(keys) as key) as freed
    where freed.key is not null order by hashtextextended(freed.key, hashtextextended('halyard', 9))
  loop
    perform pg_advisory_xact_lock(hashtextextended(key_of_places, hashtextextended('halyard', 9)));
    last_definition := '';
    loop
      select e.definition into last_definition from halyard.executions e
        where e.concurrency_key = key_of_places and e.waiting_since is not null and e.wants_runner_at is null
          and e.definition > last_definition
        order by e.definition limit 1;
      exit when not found;
      loop
        select e.key, e.definition, e.priority, e.waiting_since, e.concurrency_limit into waiter
          from halyard.executions e
          where e.concurrency_key = key_of_places and e.definition = last_definition
            and e.waiting_since is not null and e.wants_runner_at is null
          order by e.priority desc, e.waiting_since, e.key limit 1;
        exit when not found or halyard.places_before(waiter.key, key_of_places, waiter.definition, waiter.priority,
          waiter.waiting_since) >= waiter.concurrency_limit;
        -- A signal may have made it due meanwhile.
        update halyard.executions e set wants_runner_at = now_ms
          where e.key = waiter.key and e.waiting_since is not null and e.wants_runner_at is null;
      end loop;
    end loop;
  end loop;
end
$function$;

-- Whether an execution has no place of its key, which this transaction has locked: then it waits from
-- now on. One that waited already keeps its turn. There are places also for those that come before it.
create function halyard.must_wait(own_key bigint, now_ms bigint) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  own record;
  first record;
begin
  select e.concurrency_key, e.concurrency_limit, e.definition, e.priority,
    coalesce(e.waiting_since, now_ms) as waiting_since
    into own from halyard.executions e where e.key = own_key;
  if halyard.places_before(own_key, own.concurrency_key, own.definition, own.priority,
      own.waiting_since) < own.concurrency_limit
  then
    select w.priority, w.waiting_since, w.key into first from halyard.executions w
      where w.concurrency_key = own.concurrency_key and w.definition = own.definition
        and w.waiting_since is not null and w.wants_runner_at is null
      order by w.priority desc, w.waiting_since, w.key limit 1;
    if not found or first.priority < own.priority
      or first.priority = own.priority and (first.waiting_since, first.key) > (own.waiting_since, own_key)
    then
      return false;
    end if;
  end if;
  update halyard.executions e set wants_runner_at = null, runner = null, waiting_since = own.waiting_since
    where e.key = own_key;
  return true;
end
$function$;
`;
