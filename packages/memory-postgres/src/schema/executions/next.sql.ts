import { nowMs } from '../fragments.ts';

/** Claims due executions, in fair order of their subjects. */
export const nextExecutions: string = `
-- Claims what is due of these definitions, most at most, and replaces each definition as the map says.
-- Returns a row for each claimed execution (its JSON, as take_execution returns it) and for each that
-- has reached max_claims; left-out, if the share of a subject was used up: its executions are left out
-- while more of them run than slots are free; then, as next, the milliseconds until another one is due.
-- A lease that has run out is ended first. Of those that have been claimed half as often without a
-- commit, a runner runs one at a time, and the others are due again a lease later. No row that another transaction has locked is waited for.
--
-- Rows are locked one by one, so that other processes find the rest. A call returns about a megabyte
-- of executions, so that it does not come near a time limit.
create function halyard.claim_next(
  runner_name text, lease_ms bigint, definitions jsonb, most integer, free_slots integer, max_claims integer,
  shift_ms bigint
) returns table (kind text, value text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  max_bytes constant bigint := 1000000;
  bytes bigint := 0;
  taken integer := 0;
  own_key bigint;
  -- How many executions of each subject run with those claimed now.
  running jsonb := '{}';
  running_of_subject integer;
  has_left_out boolean := false;
  -- Whether there may be others that are due.
  has_more boolean := false;
  candidates integer := 0;
  candidate record;
  due record;
  result text;
begin
  -- Before the keys that are locked for what lost runners had: a renewal locks them after this row. So a
  -- renewal of this runner waits until this call has ended.
  update halyard.runners r set definitions = names.known
    from (select jsonb_agg(name order by name) as known from jsonb_object_keys(claim_next.definitions) as name) as names
    where r.key = (select r.key from halyard.runners r
        where r.key = (select max(own.key) from halyard.runners own where own.name = runner_name) for update)
      and r.lease_until > now_ms and r.definitions is distinct from names.known;
  perform halyard.recover_executions(lease_ms, max_claims, now_ms);
  for candidate in select * from halyard.next_executions(definitions, most, free_slots, runner_name, now_ms) loop
    candidates := candidates + 1;
    if taken >= most or bytes >= max_bytes then
      has_more := true;
      exit;
    end if;
    running_of_subject := coalesce((running->>candidate.subject::text)::integer, candidate.running);
    if candidate.subject is not null and running_of_subject > free_slots - taken then
      has_left_out := true;
      continue;
    end if;
    own_key := coalesce(own_key, halyard.take_lease(runner_name, now_ms + lease_ms, now_ms));
    select e.key, e.id, e.workflow_id, e.claims_without_commit, e.concurrency_key, e.request_kind
      into due from halyard.executions e
      where e.key = candidate.key and e.runner is null and e.wants_runner_at <= now_ms for update skip locked;
    if not found then
      has_more := true;
      continue;
    end if;
    if halyard.is_exhausted(due.claims_without_commit, due.request_kind, max_claims) then
      update halyard.executions e set wants_runner_at = now_ms + lease_ms where e.key = due.key;
      return query select 'exhausted', jsonb_build_object('id', due.id, 'workflow_id', due.workflow_id,
        'claims_without_commit', due.claims_without_commit)::text;
      continue;
    end if;
    if 2 * due.claims_without_commit::bigint >= max_claims and due.request_kind is null and exists (
      select from halyard.executions e where e.runner_key = own_key and e.runner is not null
        and 2 * (e.claims_without_commit - 1)::bigint >= max_claims)
    then
      update halyard.executions e set wants_runner_at = now_ms + lease_ms where e.key = due.key;
      continue;
    end if;
    if due.concurrency_key is not null and due.request_kind is null then
      if not halyard.try_lock_concurrency_key(due.concurrency_key) then
        has_more := true;
        continue;
      end if;
      continue when halyard.must_wait(due.key, now_ms);
    end if;
    result := halyard.take_execution(due.key, runner_name, own_key, lease_ms, definitions, now_ms);
    bytes := bytes + octet_length(result);
    taken := taken + 1;
    if candidate.subject is not null then
      running := running || jsonb_build_object(candidate.subject::text, running_of_subject + 1);
    end if;
    return query select 'claimed', result;
  end loop;
  if has_left_out then
    return query select 'left-out', null;
  end if;
  return query select 'next', (case when taken >= most or has_left_out and (has_more or taken > 0 and candidates >= 2 * most + 50) then 0 else (
    select min(greatest(0, soonest.wants_runner_at - now_ms)) from halyard.due_levels(definitions) as level
    cross join lateral (
      select e.wants_runner_at from halyard.executions e
      where e.definition = level.definition and e.priority = level.priority and e.runner is null
        and e.wants_runner_at > case when has_left_out then now_ms else -1 end
      order by e.wants_runner_at limit 1
    ) as soonest) end)::text;
end
$function$;

-- Takes executions from the runners whose lease has run out, at most a thousand of each: they are due
-- since then. One that was claimed several times in a row without a commit may have ended its processes,
-- and is due after a back-off. Multiples of the golden ratio spread those of one runner, so that the one
-- at fault ends few others. Who waits for a row, such as an answer, waits for this transaction.
create function halyard.recover_executions(lease_ms bigint, max_claims integer, now_ms bigint) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  lost record;
  keys_of_lost text[];
  freed_keys text[] := '{}';
begin
  for lost in select r.key, r.lease_until from halyard.runners r
    where r.lease_until <= now_ms
      and exists (select from halyard.executions e where e.runner_key = r.key and e.runner is not null)
    order by r.key
  loop
    continue when not halyard.end_lease(lost.key, now_ms);
    with released as (
      update halyard.executions e set
          runner = null,
          wants_runner_at = lost.lease_until + case
            when e.claims_without_commit < 2 or e.claims_without_commit >= max_claims or e.request_kind is not null
              then 0
            else floor(lease_ms * 2 ^ least(e.claims_without_commit - 1, 4)
              * (1 + mod(e.key % 100000 * 0.618034, 1) / 2)) end
        where e.key in (select one.key from halyard.executions one
          where one.runner_key = lost.key and one.runner is not null order by one.key limit 1000 for update skip locked)
        returning e.concurrency_key
    ) select array_agg(concurrency_key) into keys_of_lost from released where concurrency_key is not null;
    freed_keys := freed_keys || keys_of_lost;
  end loop;
  if freed_keys <> '{}' then
    perform halyard.wake_waiting(freed_keys, now_ms);
  end if;
end
$function$;

-- What is due, in the order in which it is claimed, with the hash of its subject, null without one, and
-- how many executions of the subject the runner runs. When more is due than most, subjects take turns: of
-- each, as much is read as most of them together need, and of those that were not read, what has been due
-- longest. More than most are returned, as other processes may have locked the first; of a subject, no
-- more than its share of the free slots allows, so that those of a high priority do not hide the others.
-- Without enable_sort = off, a plan might sort the whole backlog of a definition.
create function halyard.next_executions(
  definitions jsonb, most integer, free_slots integer, runner_name text, now_ms bigint
) returns table (key bigint, subject bigint, running integer)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off
  set enable_sort = off set enable_incremental_sort = off as $function$
#variable_conflict use_column
declare
  oldest bigint[];
begin
  oldest := array(
    select due.key from halyard.due_levels(definitions) as level
    cross join lateral (
      select e.key, e.priority, e.wants_runner_at from halyard.executions e
      where e.definition = level.definition and e.priority = level.priority and e.wants_runner_at <= now_ms
        and e.runner is null
      order by e.wants_runner_at, e.key limit most + 1
    ) as due
    order by due.priority desc, due.wants_runner_at, due.key limit most + 1);
  if cardinality(oldest) = 0 then
    return;
  end if;
  if cardinality(oldest) <= most then
    return query
      with running as materialized (
        select * from halyard.running_subjects(runner_name)
      )
      select old.key, old.subject, coalesce(running.count, 0)::integer
      from unnest(oldest) with ordinality as given (key, n)
      cross join lateral (
        select e.key, case when e.subject is not null then halyard.subject_hash(e.subject) end as subject
        from halyard.executions e where e.key = given.key limit 1
      ) as old
      left join running on running.subject = old.subject
      order by given.n;
    return;
  end if;
  return query
    with subjects as materialized (
      select * from halyard.due_subjects(definitions, now_ms)
    ), running as materialized (
      select * from halyard.running_subjects(runner_name)
    ), candidates as (
      select first.* from subjects
      cross join lateral (
        select e.key, e.priority, e.wants_runner_at as since, e.subject is null as is_own, subjects.subject
        from halyard.executions e
        where e.definition = subjects.definition and e.priority = subjects.priority
          and halyard.subject_hash(e.subject) = subjects.subject
          and e.wants_runner_at <= now_ms and e.runner is null
        order by e.wants_runner_at, e.key
        limit (select greatest(50, ceil(2 * most::numeric / count(distinct subject))) from subjects)
      ) as first
      union
      select old.* from unnest(oldest) as given (key)
      cross join lateral (
        select e.key, e.priority, e.wants_runner_at, e.subject is null, halyard.subject_hash(e.subject)
        from halyard.executions e
        where e.key = given.key limit 1
      ) as old
    ), turns as (
      select candidates.*, coalesce(running.count, 0) as running, row_number() over (
        partition by candidates.subject order by candidates.priority desc, candidates.since, candidates.key) as turn
      from candidates left join running on running.subject = candidates.subject
    ), ranked as (
      select turns.*, row_number() over (
        partition by turns.priority order by turns.turn + turns.running, turns.since, turns.key) as place
      from turns where turns.is_own or 2 * (turns.turn - 2) + turns.running <= free_slots or turns.turn = 1
    )
    select ranked.key, case when not ranked.is_own then ranked.subject end, ranked.running::integer from ranked
    where ranked.place <= 2 * most + 50
    order by ranked.priority desc, ranked.place;
end
$function$;

-- How many executions of each subject a runner runs.
create function halyard.running_subjects(runner_name text) returns table (subject bigint, count bigint)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  return query
    select halyard.subject_hash(e.subject), count(*) from halyard.runners r
    join halyard.executions e on e.runner_key = r.key and e.runner is not null
    where r.name = runner_name and not r.has_ended
    group by 1;
end
$function$;
`;
