/** Reading messages. */
export const readMessages: string = `
-- Returns a conversation, in the first row, and the newest of its messages that match, oldest
-- first; the newest even if it has more than max_bytes, and even if at_most is 0. matching is how
-- many match, up to one more than at_most. PostgreSQL knows the length of a text without reading
-- it, so messages that are left out cost nothing.
--
-- It is a function because planning this query takes longer than running it.
create function halyard.read_messages(
  of_conversation text, owner text, at_most integer, max_bytes bigint, after_ms bigint, before_ms bigint, roles text[]
) returns table (conversation text, id text, role text, parts text, metadata text, created_at bigint, matching integer)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  if roles <@ array['system', 'tool'] then
    return query${page(`m.role in ('system', 'tool') and m.role = any(roles)`)};
  else
    return query${page(`(roles is null or m.role = any(roles))`)};
  end if;
end
$function$;
`;

function page(condition: string): string {
  return `
    select case when row_number() over (order by m.created_at) = 1 then row_to_json(c)::text end,
      m.id, m.role,
      case when m.open_by is null then m.parts else (
        select '[' || coalesce(string_agg(p.part, ',' order by p.place), '') || ']' from halyard.message_parts p
        where p.conversation_key = c.key and p.message_created_at = m.created_at) end,
      m.metadata, m.created_at, m.matching
    from halyard.conversations c left join lateral (
      select * from (
        select n.*,
          (count(*) over ())::integer as matching,
          row_number() over newest_first as place,
          sum(n.parts_bytes + coalesce(octet_length(n.metadata), 0)) over newest_first as bytes
        from (
          select m.id, m.role, m.parts, m.metadata, m.created_at, m.open_by,
            case when m.open_by is null then octet_length(m.parts) else (
              select coalesce(sum(octet_length(p.part) + 1), 1) + 1 from halyard.message_parts p
              where p.conversation_key = m.conversation_key and p.message_created_at = m.created_at) end as parts_bytes
          from halyard.messages m
          where m.conversation_key = c.key and m.created_at > after_ms and m.created_at < before_ms and ${condition}
          order by m.created_at desc limit at_most + 1
        ) n
        window newest_first as (order by n.created_at desc)
      ) p
      where p.place = 1 or (p.place <= at_most and p.bytes <= max_bytes)
    ) m on true
    where c.id = of_conversation and (owner is null or c.user_id = owner) order by m.created_at`;
}
