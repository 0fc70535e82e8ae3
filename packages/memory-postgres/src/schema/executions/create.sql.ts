import { nowMs } from '../fragments.ts';

/** Creating executions, by the rules for starts with the same key. */
export const createExecutions: string = `
-- Creates executions with their first events. Returns one result for each, in their order. One
-- whose keys another transaction has locked is busy: each start reads what has started before or
-- replaces it, and two that did not see each other would both stay. One is full when as many
-- executions of its subject wait as may. An execution with dueInMs is due that much later. The start
-- times of a throttle are fixed here, so executions that are not due yet delay no others. One with a
-- runner that is due and has no concurrency key is claimed as well: the result is the JSON that its runner
-- needs.
create function halyard.create_executions(batch jsonb, shift_ms bigint) returns setof text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
  item jsonb;
  -- Of the runners that claim what they create.
  runner_keys constant jsonb := halyard.take_leases(batch, now_ms);
  is_claimed boolean;
  created halyard.executions;
  start_at bigint;
  since bigint;
  earliest bigint;
  result text;
begin
  for item in select value from jsonb_array_elements(batch) loop
    start_at := now_ms + coalesce((item->>'dueInMs')::bigint, 0);
    since := null;
    if item ? 'maxWaiting' and (item->>'maxWaiting')::integer <= (
        select count(*) from (
          select from halyard.executions e
            where e.definition = coalesce(item->>'definition', item->>'workflowId')
              and e.priority = coalesce((item->>'priority')::smallint, 0)
              and halyard.subject_hash(e.subject) = halyard.subject_hash(item->>'subject')
              and e.wants_runner_at <= now_ms and e.runner is null
            limit (item->>'maxWaiting')::integer) as waiting)
      and not exists (select from halyard.executions e where e.id = item->>'id')
    then
      return next 'full';
      continue;
    end if;
    if item ? 'rules' and not exists (select from halyard.executions e where e.id = item->>'id') then
      if item ? 'singletonKey' and not halyard.try_lock_concurrency_key('singleton ' || (item->>'singletonKey'))
        or item ? 'throttleKey' and not halyard.try_lock_concurrency_key('throttle ' || (item->>'throttleKey'))
        or item ? 'debounceKey' and not halyard.try_lock_concurrency_key('debounce ' || (item->>'debounceKey'))
      then
        return next 'busy';
        continue;
      end if;
      if item ? 'skips' and exists (select from halyard.executions e where e.singleton_key = item->>'singletonKey'
        and e.ended_at is null) then
        return next 'skipped';
        continue;
      end if;
      if item ? 'debounceKey' then
        since := coalesce((select min(e.debounced_since) from halyard.executions e
          where e.debounce_key = item->>'debounceKey' and e.epoch = 0 and e.ended_at is null), now_ms);
        start_at := greatest(now_ms, least(now_ms + (item->>'debounceMs')::bigint,
          since + (item->>'maxDebounceMs')::bigint));
      end if;
      if item ? 'throttleKey' then
        earliest := (select e.throttled_at from halyard.executions e where e.throttle_key = item->>'throttleKey'
          order by e.throttled_at desc, e.key desc offset (item->>'throttleLimit')::integer - 1
            limit 1) + (item->>'throttlePeriodMs')::bigint;
        start_at := greatest(start_at, earliest);
      end if;
    end if;
    is_claimed := item ? 'runner' and not item ? 'concurrencyKey' and start_at <= now_ms;
    insert into halyard.executions (
      id, root_id, path, workflow_id, workflow_name,
      conversation_id, user_id, status, request_id, created_at, updated_at, wants_runner_at,
      runner, runner_key, epoch, claims_without_commit,
      priority, concurrency_key, concurrency_limit,
      singleton_key, throttle_key, throttled_at, debounce_key, debounced_since,
      definition, subject, seq, journal_position,
      metadata_digests, waits, state, input, context, metadata, user_snapshot
    ) values (
      item->>'id', item->>'id', '', item->>'workflowId', item->>'workflowName',
      item->>'conversationId', item->>'userId', 'running', item->>'requestId', now_ms, now_ms,
      case when is_claimed then now_ms + (item->>'leaseMs')::bigint else start_at end,
      case when is_claimed then item->>'runner' end,
      case when is_claimed then (runner_keys->>(item->>'runner'))::bigint end, is_claimed::integer, is_claimed::integer,
      coalesce((item->>'priority')::smallint, 0), item->>'concurrencyKey', (item->>'concurrencyLimit')::integer,
      item->>'singletonKey', item->>'throttleKey', case when item ? 'throttleKey' then start_at end,
      item->>'debounceKey', since,
      coalesce(item->>'definition', item->>'workflowId'), item->>'subject',
      jsonb_array_length(item->'events'), jsonb_array_length(item->'journal'),
      array(select jsonb_array_elements_text(item->'metadataDigests')), item->'waits', item->'state', item->>'input',
      item->>'context', item->>'metadata', item->>'user'
    ) on conflict (id) do nothing returning * into created;
    if created.key is null then
      select case when e.parent_id is null and e.request_id = item->>'requestId' then 'created' else 'taken' end
        into result from halyard.executions e where e.id = item->>'id';
      return next coalesce(result, 'taken');
      continue;
    end if;
    insert into halyard.execution_events
      select created.key, n, value from jsonb_array_elements_text(item->'events') with ordinality as t (value, n);
    if jsonb_array_length(item->'journal') > 0 then
      insert into halyard.execution_journal
        select created.key, n, value->>0, value->>1
          from jsonb_array_elements(item->'journal') with ordinality as t (value, n);
    end if;
    return next case when is_claimed then json_build_object(
      'now', now_ms,
      'execution', row_to_json(created),
      'journal', (select json_agg(value->1) from jsonb_array_elements(item->'journal')),
      'children', null,
      'checkpoint', null
    )::text else 'created' end;
  end loop;
end
$function$;

create function halyard.cancel_execution(
  execution_key bigint, reason text, now_ms bigint
) returns table (id text, workflow_id text)
language sql volatile as $function$
  update halyard.executions e set
      request_kind = 'cancel',
      request_reason = reason,
      signals = e.signals + 1,
      updated_at = now_ms,
      wants_runner_at = case when e.runner is null then now_ms else e.wants_runner_at end
    where e.key = execution_key
    returning e.id, e.workflow_id
$function$;

-- Requests the cancellation of older executions with the same key. Returns a row of nulls when it
-- has skipped locked ones.
create function halyard.supersede_executions(
  newer_id text, reason text, shift_ms bigint
) returns table (id text, workflow_id text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  newer record;
  older record;
begin
  select e.key, e.singleton_key, e.debounce_key into newer from halyard.executions e where e.id = newer_id
    and e.root_key is null;
  if not found then
    return;
  end if;
  for older in
    select e.key from halyard.executions e where e.singleton_key = newer.singleton_key and e.ended_at is null
      and e.key < newer.key
      and e.request_kind is distinct from 'cancel' for update skip locked
  loop
    return query select c.id, c.workflow_id from halyard.cancel_execution(older.key, reason, now_ms) as c;
  end loop;
  for older in
    select e.key from halyard.executions e where e.debounce_key = newer.debounce_key and e.epoch = 0
      and e.ended_at is null and e.key < newer.key
      and e.request_kind is distinct from 'cancel' for update skip locked
  loop
    return query select c.id, c.workflow_id from halyard.cancel_execution(older.key, reason, now_ms) as c;
  end loop;
  if exists (select from halyard.executions e where e.singleton_key = newer.singleton_key and e.ended_at is null
    and e.key < newer.key
      and e.request_kind is distinct from 'cancel')
    or exists (select from halyard.executions e where e.debounce_key = newer.debounce_key and e.epoch = 0
      and e.ended_at is null and e.key < newer.key
      and e.request_kind is distinct from 'cancel')
  then
    return query select null, null;
  end if;
end
$function$;
`;
