import type { Migration } from './migration.ts';

/**
 * Published events, and which execution has received which.
 *
 * The row of a root lists the events that it waits for in `event_waits`, which the trigger `receive_events` derives from its waits. Most rows have none, are not in the index, and stay HOT.
 *
 * An event and a wait for it can be written at the same time by two transactions that do not see each other. Both lock the event's channel, its name and key: a publisher alone, waits
 * together. The later one then sees what the earlier one has written. A publisher waits for nothing while it holds this lock: it skips locked rows, and its event stays pending until all have it.
 *
 * `publish_event` stores an event, and `deliver_event` answers some executions that wait for it. `receive_events` answers a new wait with an event that was stored before.
 */
export const publishedEvents: Migration = {
  number: 8,
  name: 'published-events',
  sql: (schema) => `
create table ${schema}.published_events (
  position bigint generated always as identity primary key,
  id text not null,
  user_id text,
  request_id text not null,
  channel text not null,
  payload text not null,
  published_at bigint not null,
  is_pending boolean not null default true,
  constraint published_events_requests unique nulls not distinct (user_id, request_id)
);
create index published_events_channel on ${schema}.published_events (channel, position);
create index published_events_pending on ${schema}.published_events (position) where is_pending;
create index published_events_age on ${schema}.published_events (published_at, position);

create table ${schema}.event_deliveries (
  root_key bigint not null references ${schema}.executions (key) on delete cascade,
  position bigint not null,
  path text not null,
  primary key (root_key, position)
);

alter table ${schema}.executions add column event_waits text[];
create index executions_of_event on ${schema}.executions using gin (event_waits) where event_waits is not null;

create function ${schema}.channel_lock(channel text) returns bigint
language sql immutable as $function$
  select hashtextextended(channel, hashtextextended('${schema.replaceAll("'", "''")}', 7))
$function$;

create function ${schema}.answered_by_event(waits jsonb, wait_id text, payload text) returns jsonb
language sql immutable as $function$
  select coalesce(jsonb_agg(value order by n) filter (where not is_answered), '[]')
    || jsonb_agg(jsonb_build_object('kind', 'resumption', 'path', value->'path', 'execution', value->'execution',
        'value', '{"suspensionId":' || (value->>'idJson') || ',"data":' || payload || '}')) filter (where is_answered)
  from (
    select value, n, value->>'kind' = 'suspension' and value->>'id' = wait_id as is_answered
    from jsonb_array_elements(waits) with ordinality as t (value, n)
  ) as one
$function$;

create function ${schema}.receive_events() returns trigger
language plpgsql set enable_seqscan = off as $function$
declare
  wait jsonb;
  event record;
begin
  if new.rewinds <> old.rewinds then
    delete from ${schema}.event_deliveries d where d.root_key = new.key and ${schema}.is_at_or_below(d.path, new.rewinds->-1->'paths');
  end if;
  for wait in select t.value from jsonb_array_elements(new.waits) with ordinality as t (value, n) where t.value ? 'channel'
    and not exists (select from jsonb_array_elements(old.waits) as earlier (value) where earlier.value ? 'channel' and earlier.value->'id' = t.value->'id')
    order by t.n
  loop
    perform pg_advisory_xact_lock_shared(${schema}.channel_lock(wait->>'channel'));
    select e.position, e.payload into event from ${schema}.published_events e
      where e.channel = wait->>'channel' and (e.user_id is null or e.user_id = new.user_id) and e.published_at >= new.created_at
        and not exists (select from ${schema}.event_deliveries d where d.root_key = new.key and d.position = e.position)
      order by e.position limit 1;
    continue when not found;
    insert into ${schema}.event_deliveries values (new.key, event.position, wait->>'path');
    new.waits := ${schema}.answered_by_event(new.waits, wait->>'id', event.payload);
    new.signals := new.signals + 1;
    if new.runner is null then
      new.status := 'running';
      new.wants_runner_at := new.updated_at;
    end if;
  end loop;
  new.event_waits := (select array_agg(distinct value->>'channel') from jsonb_array_elements(new.waits) where value ? 'channel');
  return new;
end
$function$;
create trigger receive_events before update on ${schema}.executions for each row
  when (old.waits is distinct from new.waits or old.rewinds is distinct from new.rewinds)
  execute function ${schema}.receive_events();

create function ${schema}.publish_event(event jsonb, shift_ms bigint) returns table (event_id text, event_position text)
language plpgsql set enable_seqscan = off as $function$
begin
  perform pg_advisory_xact_lock(${schema}.channel_lock(event->>'channel'));
  insert into ${schema}.published_events (id, user_id, request_id, channel, payload, published_at)
    values (event->>'id', event->>'userId', event->>'requestId', event->>'channel', event->>'payload',
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms)
    on conflict on constraint published_events_requests do nothing;
  return query select e.id, e.position::text from ${schema}.published_events e
    where e.user_id is not distinct from event->>'userId' and e.request_id = event->>'requestId';
end
$function$;

create function ${schema}.deliver_event(event_position bigint, max_deliveries integer, shift_ms bigint)
returns table (id text, waiting_id text, workflow_id text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  event ${schema}.published_events;
  target record;
  wait jsonb;
begin
  select * into event from ${schema}.published_events e where e.position = event_position and e.is_pending;
  if not found then
    return;
  end if;
  perform pg_advisory_xact_lock(${schema}.channel_lock(event.channel));
  for target in select e.key, e.id, e.workflow_id, e.waits from ${schema}.executions e
    where e.event_waits @> array[event.channel] and (event.user_id is null or e.user_id = event.user_id) and e.created_at <= event.published_at
      and not exists (select from ${schema}.event_deliveries d where d.root_key = e.key and d.position = event.position)
    order by e.key limit max_deliveries for update skip locked
  loop
    select value into wait from jsonb_array_elements(target.waits) with ordinality as t (value, n)
      where value->>'channel' = event.channel order by (value->>'at')::numeric, n limit 1;
    insert into ${schema}.event_deliveries values (target.key, event.position, wait->>'path');
    update ${schema}.executions e set
        waits = ${schema}.answered_by_event(e.waits, wait->>'id', event.payload),
        signals = e.signals + 1,
        updated_at = now_ms,
        status = case when e.runner is null then 'running' else e.status end,
        wants_runner_at = case when e.runner is null then now_ms else e.wants_runner_at end
      where e.key = target.key;
    return query select target.id, wait->>'execution', target.workflow_id;
  end loop;
  if not exists (select from ${schema}.executions e
    where e.event_waits @> array[event.channel] and (event.user_id is null or e.user_id = event.user_id) and e.created_at <= event.published_at
      and not exists (select from ${schema}.event_deliveries d where d.root_key = e.key and d.position = event.position))
  then
    update ${schema}.published_events e set is_pending = false where e.position = event.position;
  else
    return query select null, null, null;
  end if;
end
$function$;`,
};
