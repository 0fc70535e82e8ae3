import type { Migration } from './migration.ts';

/**
 * A new wait looks for an event of the execution's user, and for one of everybody, each in the order of their times from the start of the execution. Events of other users and earlier ones are not read, however
 * many there are.
 */
export const eventLookup: Migration = {
  number: 18,
  name: 'event-lookup',
  sql: (schema) => `
create index published_events_of_anyone on ${schema}.published_events (channel, published_at, position) where user_id is null;
create index published_events_of_user on ${schema}.published_events (channel, user_id, published_at, position) where user_id is not null;
drop index ${schema}.published_events_channel;

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
    perform pg_advisory_xact_lock_shared(${schema}.channel_lock(wait->>'channel'));
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
$function$;`,
};
