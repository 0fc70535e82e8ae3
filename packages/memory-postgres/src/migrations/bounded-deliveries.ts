import type { Migration } from './migration.ts';

/**
 * An event reaches the executions that wait for it in short transactions, however many they are and however large its payload is. Until `deliver_at`, sweeps leave it to the process that delivers it, and after a
 * failure they leave it alone.
 *
 * The lock of a channel is one for each owner of events: those of a user reach only executions of this user. A delivery takes it only to find that nothing is left, so that the batches of commits that share it wait
 * for no delivery. A wait that is written at the same time may have received the event already: the key of `event_deliveries` decides.
 */
export const boundedDeliveries: Migration = {
  number: 25,
  name: 'bounded-deliveries',
  sql: (schema) => `
-- Whoever holds the locks of before must have ended: they do not exclude those of now.
lock table ${schema}.executions in share row exclusive mode;
alter table ${schema}.published_events add column deliver_at bigint not null default 0;
drop function ${schema}.channel_lock(text);
create function ${schema}.channel_lock(channel text, user_id text) returns bigint
language sql immutable as $function$
  select hashtextextended(channel, hashtextextended(coalesce(user_id, ''), hashtextextended('${schema.replaceAll("'", "''")}', 7)))
$function$;
${receiveEvents(schema)}
${publishEvent(schema)}
${deliverEvent(schema)}`,
};

/** Answers new waits with events that were stored before. */
function receiveEvents(schema: string): string {
  return `
create or replace function ${schema}.receive_events() returns trigger
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
    perform pg_advisory_xact_lock_shared(${schema}.channel_lock(wait->>'channel', null));
    if new.user_id is not null then
      perform pg_advisory_xact_lock_shared(${schema}.channel_lock(wait->>'channel', new.user_id));
    end if;
    select one.position, one.payload into event from (
      (select e.position, e.payload, e.published_at from ${schema}.published_events e
        where e.channel = wait->>'channel' and e.user_id is null and e.published_at >= new.created_at
          and not exists (select from ${schema}.event_deliveries d where d.root_key = new.key and d.position = e.position)
        order by e.published_at, e.position limit 1)
      union all
      (select e.position, e.payload, e.published_at from ${schema}.published_events e
        where e.channel = wait->>'channel' and e.user_id = new.user_id and e.published_at >= new.created_at
          and not exists (select from ${schema}.event_deliveries d where d.root_key = new.key and d.position = e.position)
        order by e.published_at, e.position limit 1)
    ) as one order by one.published_at, one.position limit 1;
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
$function$;`;
}

function publishEvent(schema: string): string {
  return `
create or replace function ${schema}.publish_event(event jsonb, shift_ms bigint) returns table (event_id text, event_position text)
language plpgsql set enable_seqscan = off as $function$
declare
  now_ms bigint;
begin
  perform pg_advisory_xact_lock(${schema}.channel_lock(event->>'channel', event->>'userId'));
  now_ms := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  insert into ${schema}.published_events (id, user_id, request_id, channel, payload, published_at, deliver_at)
    values (event->>'id', event->>'userId', event->>'requestId', event->>'channel', event->>'payload', now_ms, now_ms + 5000)
    on conflict on constraint published_events_requests do nothing;
  return query select e.id, e.position::text from ${schema}.published_events e
    where e.user_id is not distinct from event->>'userId' and e.request_id = event->>'requestId';
end
$function$;`;
}

/**
 * Delivers an event to some of the executions that wait for it: at most \`max_deliveries\`, and until a megabyte was written. The last row has no id unless all have received it; then the caller has
 * five seconds for the next call, before sweeps deliver the event. A call that finds none to deliver to
 * makes sure of that, and waits for nothing while rows are locked.
 */
function deliverEvent(schema: string): string {
  return `
create or replace function ${schema}.deliver_event(event_position bigint, max_deliveries integer, shift_ms bigint)
returns table (id text, waiting_id text, workflow_id text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  max_bytes constant bigint := 1000000;
  bytes bigint := 0;
  event ${schema}.published_events;
  target record;
  wait jsonb;
begin
  select * into event from ${schema}.published_events e where e.position = event_position and e.is_pending;
  if not found then
    return;
  end if;
  for target in select e.key, e.id, e.workflow_id, e.waits from ${schema}.executions e
    where e.event_waits @> array[event.channel] and (event.user_id is null or e.user_id = event.user_id) and e.created_at <= event.published_at
      and not exists (select from ${schema}.event_deliveries d where d.root_key = e.key and d.position = event.position)
    order by e.key limit max_deliveries for update skip locked
  loop
    exit when bytes >= max_bytes;
    bytes := bytes + octet_length(event.payload) + pg_column_size(target.waits);
    select value into wait from jsonb_array_elements(target.waits) with ordinality as t (value, n)
      where value->>'channel' = event.channel order by (value->>'at')::numeric, n limit 1;
    insert into ${schema}.event_deliveries values (target.key, event.position, wait->>'path') on conflict do nothing;
    continue when not found;
    update ${schema}.executions e set
        waits = ${schema}.answered_by_event(e.waits, wait->>'id', event.payload),
        signals = e.signals + 1,
        updated_at = now_ms,
        status = case when e.runner is null then 'running' else e.status end,
        wants_runner_at = case when e.runner is null then now_ms else e.wants_runner_at end
      where e.key = target.key;
    return query select target.id, wait->>'execution', target.workflow_id;
  end loop;
  if bytes = 0 then
    perform pg_advisory_xact_lock(${schema}.channel_lock(event.channel, event.user_id));
    update ${schema}.published_events e set is_pending = false where e.position = event.position and not exists (
      select from ${schema}.executions waiting
      where waiting.event_waits @> array[event.channel] and (event.user_id is null or waiting.user_id = event.user_id) and waiting.created_at <= event.published_at
        and not exists (select from ${schema}.event_deliveries d where d.root_key = waiting.key and d.position = event.position));
    if found then
      return;
    end if;
  end if;
  update ${schema}.published_events e set deliver_at = now_ms + 5000 where e.position = event.position and e.deliver_at < now_ms + 2500;
  return query select null, null, null;
end
$function$;`;
}
