import type { Migration } from './migration.ts';

/**
 * The parts of a message that is still growing are rows, so that a write does not repeat those before it. `open_by` is their writer; null: the message is a single row, as before. A write
 * of the whole message, also by a process of the version before, deletes the rows of its parts.
 *
 * Processes of the version before read an open message with `read_messages` as it is. Their other queries read its parts as they were before it was opened.
 */
export const messageParts: Migration = {
  number: 35,
  name: 'message-parts',
  sql: (schema) => `
alter table ${schema}.messages add column open_by text;
create table ${schema}.message_parts (
  conversation_key bigint not null,
  message_created_at bigint not null,
  place integer not null,
  part text not null,
  primary key (conversation_key, message_created_at, place)
);
${closeMessage(schema)}
${readMessages(schema)}
${saveParts(schema)}`,
};

/** A trigger instead of a foreign key: it costs nothing for messages that are not open. */
function closeMessage(schema: string): string {
  return `
create function ${schema}.close_message() returns trigger
language plpgsql set enable_seqscan = off as $function$
begin
  delete from ${schema}.message_parts p where p.conversation_key = old.conversation_key and p.message_created_at = old.created_at;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new.open_by := null;
  return new;
end
$function$;
create trigger close_message before delete or update of parts on ${schema}.messages
  for each row when (old.open_by is not null) execute function ${schema}.close_message();`;
}

/**
 * Returns a conversation, in the first row, and the newest of its messages that match, oldest first; the newest even if it has more than `max_bytes`, and even if `at_most` is 0. `matching` is how
 * many match, up to one more than `at_most`.
 *
 * It is a function because planning this query takes longer than running it, and the plan of a function is kept for the connection. The plan must not change while
 * the tables grow, so it may use indexes only.
 */
function readMessages(schema: string): string {
  const page = (condition: string): string => `
    select case when row_number() over (order by m.created_at) = 1 then
        row_to_json(c)::text end,
      m.id, m.role,
      case when m.open_by is null then m.parts else (
        select '[' || coalesce(string_agg(p.part, ',' order by p.place), '') || ']' from ${schema}.message_parts p
        where p.conversation_key = c.key and p.message_created_at = m.created_at) end,
      m.metadata, m.created_at, m.matching
    from ${schema}.conversations c left join lateral (
      select * from (
        select n.*,
          (count(*) over ())::integer as matching,
          row_number() over newest_first as place,
          sum(n.parts_bytes + coalesce(octet_length(n.metadata), 0)) over newest_first as bytes
        from (
          select m.id, m.role, m.parts, m.metadata, m.created_at, m.open_by,
            case when m.open_by is null then octet_length(m.parts) else (
              select coalesce(sum(octet_length(p.part) + 1), 1) + 1 from ${schema}.message_parts p
              where p.conversation_key = m.conversation_key and p.message_created_at = m.created_at) end as parts_bytes
          from ${schema}.messages m
          where m.conversation_key = c.key and m.created_at > after_ms and m.created_at < before_ms and ${condition}
          order by m.created_at desc limit at_most + 1
        ) n
        window newest_first as (order by n.created_at desc)
      ) p
      where p.place = 1 or (p.place <= at_most and p.bytes <= max_bytes)
    ) m on true
    where c.id = of_conversation and (owner is null or c.user_id = owner) order by m.created_at`;
  return `
create or replace function ${schema}.read_messages(of_conversation text, owner text, at_most integer, max_bytes bigint, after_ms bigint, before_ms bigint, roles text[])
returns table (conversation text, id text, role text, parts text, metadata text, created_at bigint, matching integer)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  if roles <@ array['system', 'tool'] then
    return query${page(`m.role in ('system', 'tool') and m.role = any(roles)`)};
  else
    return query${page(`(roles is null or m.role = any(roles))`)};
  end if;
end
$function$;`;
}

/**
 * Saves parts of several messages. Returns one result for each, in their order: `busy` when another transaction has locked the conversation; `refused` when the message does not exist, or parts
 * are missing that this writer has not stored. The conversation is locked first, so that each statement sees everything written before.
 */
function saveParts(schema: string): string {
  return `
create function ${schema}.save_parts(batch jsonb, shift_ms bigint)
returns table (status text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  target_key bigint;
  message_at bigint;
begin
  for item in select value from jsonb_array_elements(batch) loop
    select c.key into target_key from ${schema}.conversations c where c.id = item->>'id' and (not item ? 'owner' or c.user_id = item->>'owner')
      for no key update skip locked;
    if not found then
      return query select case when exists (select from ${schema}.conversations c where c.id = item->>'id' and (not item ? 'owner' or c.user_id = item->>'owner'))
        then 'busy' else 'refused' end;
      continue;
    end if;
    select m.created_at into message_at from ${schema}.messages m where m.conversation_key = target_key and m.id = item->>'message'
      and (m.open_by = item->>'writer' or jsonb_array_length(item->'parts') = (item->>'length')::integer);
    if not found then
      return query select 'refused';
      continue;
    end if;

    delete from ${schema}.message_parts p
      where p.conversation_key = target_key and p.message_created_at = message_at and p.place >= (item->>'length')::integer;
    insert into ${schema}.message_parts (conversation_key, message_created_at, place, part)
      select target_key, message_at, (value->>0)::integer, value->>1 from jsonb_array_elements(item->'parts')
      on conflict (conversation_key, message_created_at, place) do update set part = excluded.part;
    update ${schema}.messages m set open_by = item->>'writer', metadata = item->>'metadata'
      where m.conversation_key = target_key and m.created_at = message_at
      and (m.open_by is distinct from item->>'writer' or m.metadata is distinct from item->>'metadata');
    update ${schema}.conversations c set updated_at = greatest(c.updated_at, now_ms) where c.key = target_key;
    return query select 'saved';
  end loop;
end
$function$;`;
}
