import type { Migration } from './migration.ts';

/** The event of a user answers only waits that are `fromOwner`. Waits of earlier releases are not. */
export const eventPublishers: Migration = {
  number: 32,
  name: 'event-publishers',
  sql: (schema) => `
${receiveEvents(schema)}
${deliverEvent(schema)}`,
};

/** As before, with events of the user only for waits that are `fromOwner`. */
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
    if new.user_id is not null and wait ? 'fromOwner' then
      perform pg_advisory_xact_lock_shared(${schema}.channel_lock(wait->>'channel', new.user_id));
    end if;
    select one.position, one.payload into event from (
      (select e.position, e.payload, e.published_at from ${schema}.published_events e
        where e.channel = wait->>'channel' and e.user_id is null and e.published_at >= new.created_at
          and not exists (select from ${schema}.event_deliveries d where d.root_key = new.key and d.position = e.position)
        order by e.published_at, e.position limit 1)
      union all
      (select e.position, e.payload, e.published_at from ${schema}.published_events e
        where wait ? 'fromOwner' and e.channel = wait->>'channel' and e.user_id = new.user_id and e.published_at >= new.created_at
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

/** As before, with an event of a user only for waits that are `fromOwner`. */
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
    where e.event_waits @> array[event.channel] and (event.user_id is null or e.user_id = event.user_id and ${isFromOwner('e')}) and e.created_at <= event.published_at
      and not exists (select from ${schema}.event_deliveries d where d.root_key = e.key and d.position = event.position)
    order by e.key limit max_deliveries for update skip locked
  loop
    exit when bytes >= max_bytes;
    bytes := bytes + octet_length(event.payload) + pg_column_size(target.waits);
    select value into wait from jsonb_array_elements(target.waits) with ordinality as t (value, n)
      where value->>'channel' = event.channel and (event.user_id is null or value ? 'fromOwner') order by (value->>'at')::numeric, n limit 1;
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
      where waiting.event_waits @> array[event.channel] and (event.user_id is null or waiting.user_id = event.user_id and ${isFromOwner('waiting')}) and waiting.created_at <= event.published_at
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

/** Whether an execution has a wait for the channel of `event` that is `fromOwner`. */
function isFromOwner(row: string): string {
  return `exists (select from jsonb_array_elements(${row}.waits) as own (value) where own.value->>'channel' = event.channel and own.value ? 'fromOwner')`;
}
