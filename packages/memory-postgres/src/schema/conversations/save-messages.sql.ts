import { nowMs } from '../fragments.ts';

/**
 * Writing messages. The callers of a batch share one transaction, so none waits for the
 * conversation of another.
 */
export const saveMessages: string = `
-- The key of the advisory lock that a transaction holds while it creates a conversation and does
-- more than that, so that others need not wait to learn whether the id is taken.
create function halyard.conversation_lock(conversation_id text) returns bigint
language sql immutable as $function$
  select hashtextextended(conversation_id, hashtextextended('halyard', 11))
$function$;

-- Saves messages of several conversations. Returns one result for each, in their order: busy when
-- another transaction has locked the conversation, or creates it. The conversation is locked first,
-- so that each statement sees everything written before.
create function halyard.save_messages(batch jsonb, shift_ms bigint)
returns table (status text, is_new boolean, dropped text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  item jsonb;
  target record;
  first_at bigint;
  removed text[];
begin
  for item in select value from jsonb_array_elements(batch) loop
    update halyard.conversations c
      set updated_at = greatest(c.updated_at, case when item->'messages' <> '[]' or item ? 'dropAfter' then now_ms end)
      from (
        select u.key from halyard.conversations u where u.id = item->>'id'
          and (not item ? 'owner' or u.user_id = item->>'owner')
        for no key update skip locked) unlocked
      where c.key = unlocked.key
      returning c.key, c.created_by, c.last_drop, c.dropped_ids into target;
    if not found and item ? 'create' and not exists (select from halyard.conversations c where c.id = item->>'id')
      and pg_try_advisory_xact_lock(halyard.conversation_lock(item->>'id')) then
      -- Another transaction may have created it in the meantime.
      insert into halyard.conversations (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
        select item->>'id', fields->>'resourceId', fields->>'userId', fields->>'title', fields->>'metadata', now_ms,
          now_ms, item->>'request'
        from (select item->'create' as fields) as one
        on conflict (id) do nothing
        returning key, created_by, last_drop, dropped_ids into target;
    end if;
    if target.key is null then
      -- Locked, being created, or created or deleted since the first statement.
      return query select case when (item ? 'create'
        and not exists (select from halyard.conversations c where c.id = item->>'id'))
          or exists (select from halyard.conversations c where c.id = item->>'id'
            and (not item ? 'owner' or c.user_id = item->>'owner'))
        then 'busy' else 'not-found' end, false, null;
      continue;
    end if;

    removed := '{}';
    if item ? 'dropAfter' and target.last_drop = item->>'request' then
      removed := target.dropped_ids;
    elsif item ? 'dropAfter' then
      with deleted as (
        delete from halyard.messages m where m.conversation_key = target.key and m.created_at > (
          select a.created_at from halyard.messages a where a.conversation_key = target.key
            and a.id = item->>'dropAfter')
        returning m.id, m.created_at
      )
      select coalesce(array_agg(d.id order by d.created_at), '{}') into removed from deleted d
        where not exists (select from jsonb_array_elements(item->'messages') as t (value) where value->>'id' = d.id);
      update halyard.conversations c set last_drop = item->>'request', dropped_ids = removed where c.key = target.key;
    end if;

    if jsonb_array_length(item->'messages') > 0 then
      select greatest(now_ms, coalesce(max(m.created_at) + 1, 0)) into first_at
        from halyard.messages m where m.conversation_key = target.key;
      insert into halyard.messages (conversation_key, created_at, id, role, parts, metadata)
        select target.key, first_at + n - 1, value->>'id', value->>'role', value->>'parts', value->>'metadata'
        from jsonb_array_elements(item->'messages') with ordinality as t (value, n)
        on conflict (conversation_key, id) do update set role = excluded.role, parts = excluded.parts,
          metadata = excluded.metadata;
    end if;
    return query select 'saved', target.created_by is not distinct from item->>'request', case when removed <> '{}'
      then array_to_json(removed)::text end;
  end loop;
end
$function$;

-- Saves parts of several messages. Returns one result for each, in their order: busy when another
-- transaction has locked the conversation; refused when the message does not exist, or parts are
-- missing that this writer has not stored.
create function halyard.save_parts(batch jsonb, shift_ms bigint)
returns table (status text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := ${nowMs};
  item jsonb;
  target_key bigint;
  message_at bigint;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select c.key into target_key from halyard.conversations c where c.id = item->>'id'
      and (not item ? 'owner' or c.user_id = item->>'owner')
      for no key update skip locked;
    if not found then
      return query select case when exists (select from halyard.conversations c where c.id = item->>'id'
        and (not item ? 'owner' or c.user_id = item->>'owner'))
        then 'busy' else 'refused' end;
      continue;
    end if;
    select m.created_at into message_at from halyard.messages m where m.conversation_key = target_key
      and m.id = item->>'message'
      and (m.open_by = item->>'writer' or jsonb_array_length(item->'parts') = (item->>'length')::integer);
    if not found then
      return query select 'refused';
      continue;
    end if;

    delete from halyard.message_parts p
      where p.conversation_key = target_key and p.message_created_at = message_at
        and p.place >= (item->>'length')::integer;
    insert into halyard.message_parts (conversation_key, message_created_at, place, part)
      select target_key, message_at, (value->>0)::integer, value->>1 from jsonb_array_elements(item->'parts')
      on conflict (conversation_key, message_created_at, place) do update set part = excluded.part;
    update halyard.messages m set open_by = item->>'writer', metadata = item->>'metadata'
      where m.conversation_key = target_key and m.created_at = message_at
      and (m.open_by is distinct from item->>'writer' or m.metadata is distinct from item->>'metadata');
    update halyard.conversations c set updated_at = greatest(c.updated_at, now_ms) where c.key = target_key;
    return query select 'saved';
  end loop;
end
$function$;
`;
