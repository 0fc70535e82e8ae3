import { nowMs } from './fragments.ts';

/**
 * Published events, and which execution has received which.
 *
 * An event and a wait for it can be written at the same time by two transactions that do not see
 * each other. Both lock the event's channel: a publisher alone, waits together. The later one then
 * sees what the earlier one has written. A publisher waits for nothing while it holds this lock.
 */
export const events: string = `
create table halyard.published_events (
  position bigint generated always as identity primary key,
  id text not null,
  -- An event of a user reaches only executions of this user, and of these only waits that are
  -- fromOwner.
  user_id text,
  request_id text not null,
  -- The name and the key of the event.
  channel text not null,
  payload text not null,
  published_at bigint not null,
  is_pending boolean not null default true,
  -- Until then, sweeps leave it to the process that delivers it.
  deliver_at bigint not null,
  constraint published_events_requests unique nulls not distinct (user_id, request_id)
);
create index published_events_pending on halyard.published_events (position) where is_pending;
create index published_events_age on halyard.published_events (published_at, position);
-- A new wait looks for an event of everybody, and for one of its user, from the start of its
-- execution on.
create index published_events_of_anyone on halyard.published_events (channel, published_at, position)
  where user_id is null;
create index published_events_of_user on halyard.published_events (channel, user_id, published_at, position)
  where user_id is not null;

create table halyard.event_deliveries (
  root_key bigint not null references halyard.executions on delete cascade,
  position bigint not null,
  path text not null,
  primary key (root_key, position)
);

create index executions_of_event on halyard.executions using gin (event_waits) where event_waits is not null;

-- One lock for each owner of events. A delivery takes it only to find that nothing is left, so that
-- the batches of commits that share it wait for no delivery.
create function halyard.channel_lock(channel text, user_id text) returns bigint
language sql immutable as $function$
  select hashtextextended(channel, hashtextextended(coalesce(user_id, ''), hashtextextended('halyard', 7)))
$function$;

-- The caller has five seconds to deliver the event, before sweeps do.
create function halyard.publish_event(
  event jsonb, shift_ms bigint
) returns table (event_id text, event_position text)
language plpgsql set enable_seqscan = off as $function$
declare
  now_ms bigint;
begin
  perform pg_advisory_xact_lock(halyard.channel_lock(event->>'channel', event->>'userId'));
  now_ms := ${nowMs};
  insert into halyard.published_events (id, user_id, request_id, channel, payload, published_at, deliver_at)
    values (event->>'id', event->>'userId', event->>'requestId', event->>'channel', event->>'payload', now_ms,
      now_ms + 5000)
    on conflict on constraint published_events_requests do nothing;
  return query select e.id, e.position::text from halyard.published_events e
    where e.user_id is not distinct from event->>'userId' and e.request_id = event->>'requestId';
end
$function$;

-- Delivers an event to some of the executions that wait for it: at most max_deliveries, and until a
-- megabyte was written. The last row has no id unless all have received it; then the caller has
-- five seconds for the next call. A call that finds none to deliver to makes sure of that, and
-- waits for nothing while rows are locked.
create function halyard.deliver_event(event_position bigint, max_deliveries integer, shift_ms bigint)
returns table (id text, waiting_id text, workflow_id text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  max_bytes constant bigint := 1000000;
  bytes bigint := 0;
  event halyard.published_events;
  target record;
  wait jsonb;
begin
  select * into event from halyard.published_events e where e.position = event_position and e.is_pending;
  if not found then
    return;
  end if;
  for target in select e.key, e.id, e.workflow_id, e.waits from halyard.executions e
    where e.event_waits @> array[event.channel]
      and (event.user_id is null or e.user_id = event.user_id and ${isFromOwner('e')})
      and e.created_at <= event.published_at
      and not exists (select from halyard.event_deliveries d where d.root_key = e.key and d.position = event.position)
    order by e.key limit max_deliveries for update skip locked
  loop
    exit when bytes >= max_bytes;
    bytes := bytes + octet_length(event.payload) + pg_column_size(target.waits);
    select value into wait from jsonb_array_elements(target.waits) with ordinality as t (value, n)
      where value->>'channel' = event.channel and (event.user_id is null or value ? 'fromOwner')
        order by (value->>'at')::numeric, n limit 1;
    insert into halyard.event_deliveries values (target.key, event.position, wait->>'path') on conflict do nothing;
    continue when not found;
    update halyard.executions e set
        waits = halyard.answered_by_event(e.waits, wait->>'id', event.payload),
        signals = e.signals + 1,
        updated_at = now_ms,
        status = case when e.runner is null then 'running' else e.status end,
        wants_runner_at = case when e.runner is null then now_ms else e.wants_runner_at end
      where e.key = target.key;
    return query select target.id, wait->>'execution', target.workflow_id;
  end loop;
  if bytes = 0 then
    perform pg_advisory_xact_lock(halyard.channel_lock(event.channel, event.user_id));
    update halyard.published_events e set is_pending = false where e.position = event.position and not exists (
      select from halyard.executions waiting
      where waiting.event_waits @> array[event.channel]
        and (event.user_id is null or waiting.user_id = event.user_id and ${isFromOwner('waiting')})
        and waiting.created_at <= event.published_at
        and not exists (select from halyard.event_deliveries d where d.root_key = waiting.key
          and d.position = event.position));
    if found then
      return;
    end if;
  end if;
  update halyard.published_events e set deliver_at = now_ms + 5000 where e.position = event.position
    and e.deliver_at < now_ms + 2500;
  return query select null, null, null;
end
$function$;

create function halyard.answered_by_event(waits jsonb, wait_id text, payload text) returns jsonb
language sql immutable as $function$
  select coalesce(jsonb_agg(value order by n) filter (where not is_answered), '[]')
    || jsonb_agg(jsonb_build_object('kind', 'resumption', 'path', value->'path', 'execution', value->'execution',
        'value', '{"suspensionId":' || (value->>'idJson') || ',"data":' || payload || '}')) filter (where is_answered)
  from (
    select value, n, value->>'kind' = 'suspension' and value->>'id' = wait_id as is_answered
    from jsonb_array_elements(waits) with ordinality as t (value, n)
  ) as one
$function$;

-- Answers new waits with events that were stored before. A delivery at the same time may have
-- answered them already: the key of event_deliveries decides.
create function halyard.receive_events() returns trigger
language plpgsql set enable_seqscan = off as $function$
declare
  wait jsonb;
  event record;
begin
  if new.rewinds <> old.rewinds then
    delete from halyard.event_deliveries d where d.root_key = new.key
      and halyard.is_at_or_below(d.path, new.rewinds->-1->'paths');
  end if;
  for wait in
    select t.value from jsonb_array_elements(new.waits) with ordinality as t (value, n)
    where t.value ? 'channel' and not exists (select from jsonb_array_elements(old.waits) as earlier (value)
      where earlier.value ? 'channel' and earlier.value->'id' = t.value->'id')
    order by t.n
  loop
    perform pg_advisory_xact_lock_shared(halyard.channel_lock(wait->>'channel', null));
    if new.user_id is not null and wait ? 'fromOwner' then
      perform pg_advisory_xact_lock_shared(halyard.channel_lock(wait->>'channel', new.user_id));
    end if;
    select one.position, one.payload into event from (
      (select e.position, e.payload, e.published_at from halyard.published_events e
        where e.channel = wait->>'channel' and e.user_id is null and e.published_at >= new.created_at
          and not exists (select from halyard.event_deliveries d where d.root_key = new.key and d.position = e.position)
        order by e.published_at, e.position limit 1)
      union all
      (select e.position, e.payload, e.published_at from halyard.published_events e
        where wait ? 'fromOwner' and e.channel = wait->>'channel' and e.user_id = new.user_id
          and e.published_at >= new.created_at
          and not exists (select from halyard.event_deliveries d where d.root_key = new.key and d.position = e.position)
        order by e.published_at, e.position limit 1)
    ) as one order by one.published_at, one.position limit 1;
    continue when not found;
    insert into halyard.event_deliveries values (new.key, event.position, wait->>'path');
    new.waits := halyard.answered_by_event(new.waits, wait->>'id', event.payload);
    new.signals := new.signals + 1;
    if new.runner is null then
      new.status := 'running';
      new.wants_runner_at := new.updated_at;
    end if;
  end loop;
  new.event_waits := (select array_agg(distinct value->>'channel')
    from jsonb_array_elements(new.waits) where value ? 'channel');
  new.approver_keys := (select array_agg(distinct key)
    from jsonb_array_elements(new.waits) as t (wait), jsonb_array_elements_text(t.wait->'approverKeys') as key
    where t.wait ? 'approverKeys');
  return new;
end
$function$;
create trigger receive_events before update on halyard.executions
  for each row when (old.waits is distinct from new.waits or old.rewinds is distinct from new.rewinds)
  execute function halyard.receive_events();
`;

/** Whether an execution has a wait for the channel of `event` that is `fromOwner`. */
function isFromOwner(row: string): string {
  return `exists (select from jsonb_array_elements(${row}.waits) as own (value)
        where own.value->>'channel' = event.channel and own.value ? 'fromOwner')`;
}
