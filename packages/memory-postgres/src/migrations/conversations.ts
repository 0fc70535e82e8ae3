import type { Migration } from './migration.ts';

/**
 * Times are milliseconds since the epoch, by the database's clock. Parts, metadata and working memory are stored as the text of their JSON.
 *
 * The time of a message is also its position. It is assigned while the row of the conversation is locked, and is later than that of the previous message. One key
 * therefore serves both the newest messages and paging by time.
 *
 * `created_by` and `last_drop` contain the ids of the calls that wrote them: a call that is retried because its result was lost returns the same result again.
 */
export const conversations: Migration = {
  number: 2,
  name: 'conversations',
  sql: (schema) => `
create table ${schema}.conversations (
  key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  resource_id text collate "C" not null,
  user_id text collate "C" not null,
  title text collate "C" not null,
  metadata text not null,
  created_at bigint not null,
  updated_at bigint not null,
  created_by text not null,
  last_drop text,
  dropped_ids text[]
) with (fillfactor = 80);
create index conversations_by_creation on ${schema}.conversations (created_at, id);
create index conversations_by_update on ${schema}.conversations (updated_at, id);
create index conversations_by_title on ${schema}.conversations (left(title, 100));
create index conversations_of_user on ${schema}.conversations (user_id, updated_at, id);
create index conversations_of_resource on ${schema}.conversations (resource_id, updated_at, id);

create table ${schema}.messages (
  conversation_key bigint not null references ${schema}.conversations on delete cascade,
  created_at bigint not null,
  id text collate "C" not null,
  role text not null,
  parts text not null,
  metadata text,
  primary key (conversation_key, created_at),
  unique (conversation_key, id)
) with (fillfactor = 90);
create index messages_of_rare_roles on ${schema}.messages (conversation_key, role, created_at) where role in ('system', 'tool');

create sequence ${schema}.working_memory_revisions;
create table ${schema}.working_memory (
  conversation_key bigint unique references ${schema}.conversations on delete cascade,
  user_id text collate "C" unique,
  content text,
  revision bigint not null default nextval('${schema}.working_memory_revisions'),
  last_writes text[] not null,
  check (num_nonnulls(conversation_key, user_id) = 1)
);

${readMessages(schema)}
${saveMessages(schema)}
${writeWorkingMemory(schema)}
${deleteUser(schema)}`,
};

/**
 * Returns a conversation, in the first row, and the newest of its messages that match, oldest first.
 *
 * It is a function because planning this query takes longer than running it, and the plan of a function is kept for the connection. The plan must not change while
 * the tables grow, so it may use indexes only.
 */
function readMessages(schema: string): string {
  const matching = (condition: string): string => `
    select case when row_number() over (order by m.created_at) = 1 then
        row_to_json(c)::text end,
      m.id, m.role, m.parts, m.metadata, m.created_at
    from ${schema}.conversations c left join lateral (
      select m.id, m.role, m.parts, m.metadata, m.created_at from ${schema}.messages m
      where m.conversation_key = c.key and m.created_at > after_ms and m.created_at < before_ms and ${condition}
      order by m.created_at desc limit at_most
    ) m on true
    where c.id = of_conversation and (owner is null or c.user_id = owner) order by m.created_at`;
  return `
create function ${schema}.read_messages(of_conversation text, owner text, at_most integer, after_ms bigint, before_ms bigint, roles text[])
returns table (conversation text, id text, role text, parts text, metadata text, created_at bigint)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  if roles <@ array['system', 'tool'] then
    return query${matching(`m.role in ('system', 'tool') and m.role = any(roles)`)};
  else
    return query${matching(`(roles is null or m.role = any(roles))`)};
  end if;
end
$function$;`;
}

/** Saves messages of several conversations. Returns one result for each, in their order. The conversation is locked first, so that each statement sees everything written before. */
function saveMessages(schema: string): string {
  return `
create function ${schema}.save_messages(batch jsonb, shift_ms bigint)
returns table (status text, is_new boolean, dropped text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms;
  item jsonb;
  target record;
  first_at bigint;
  removed text[];
begin
  for item in select value from jsonb_array_elements(batch) loop
    update ${schema}.conversations c set updated_at = greatest(c.updated_at, case when item->'messages' <> '[]' or item ? 'dropAfter' then now_ms end)
      where c.id = item->>'id' and (not item ? 'owner' or c.user_id = item->>'owner')
      returning c.key, c.created_by, c.last_drop, c.dropped_ids into target;
    if not found and item ? 'create' then
      insert into ${schema}.conversations (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
        select item->>'id', fields->>'resourceId', fields->>'userId', fields->>'title', fields->>'metadata', now_ms, now_ms, item->>'request'
        from (select item->'create' as fields) as one
        on conflict (id) do nothing
        returning key, created_by, last_drop, dropped_ids into target;
      if not found then
        update ${schema}.conversations c set updated_at = greatest(c.updated_at, case when item->'messages' <> '[]' or item ? 'dropAfter' then now_ms end)
          where c.id = item->>'id' and (not item ? 'owner' or c.user_id = item->>'owner')
          returning c.key, c.created_by, c.last_drop, c.dropped_ids into target;
      end if;
    end if;
    if target.key is null then
      return query select 'not-found', false, null;
      continue;
    end if;

    removed := '{}';
    if item ? 'dropAfter' and target.last_drop = item->>'request' then
      removed := target.dropped_ids;
    elsif item ? 'dropAfter' then
      with deleted as (
        delete from ${schema}.messages m where m.conversation_key = target.key and m.created_at > (
          select a.created_at from ${schema}.messages a where a.conversation_key = target.key and a.id = item->>'dropAfter')
        returning m.id, m.created_at
      )
      select coalesce(array_agg(d.id order by d.created_at), '{}') into removed from deleted d
        where not exists (select from jsonb_array_elements(item->'messages') as t (value) where value->>'id' = d.id);
      update ${schema}.conversations c set last_drop = item->>'request', dropped_ids = removed where c.key = target.key;
    end if;

    if jsonb_array_length(item->'messages') > 0 then
      select greatest(now_ms, coalesce(max(m.created_at) + 1, 0)) into first_at from ${schema}.messages m where m.conversation_key = target.key;
      insert into ${schema}.messages (conversation_key, created_at, id, role, parts, metadata)
        select target.key, first_at + n - 1, value->>'id', value->>'role', value->>'parts', value->>'metadata'
        from jsonb_array_elements(item->'messages') with ordinality as t (value, n)
        on conflict (conversation_key, id) do update set role = excluded.role, parts = excluded.parts, metadata = excluded.metadata;
    end if;
    return query select 'saved', target.created_by is not distinct from item->>'request', case when removed <> '{}' then array_to_json(removed)::text end;
  end loop;
end
$function$;`;
}

/**
 * Writes a working memory if its revision is still `expected`; 0: if there is none. Revisions come from a sequence, so a memory that was deleted and written again has
 * a new one. The result `outdated` includes the current revision and content.
 */
function writeWorkingMemory(schema: string): string {
  return `
create function ${schema}.write_working_memory(of_conversation text, owner text, of_user text, write_id text, expected bigint, written text)
returns table (status text, revision bigint, content text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  of_key bigint;
begin
  if of_conversation is not null then
    select c.key into of_key from ${schema}.conversations c
      where c.id = of_conversation and (owner is null or c.user_id = owner) for key share;
    if not found then
      return query select 'not-found', 0::bigint, null;
      return;
    end if;
  end if;
  update ${schema}.working_memory w set
      content = written,
      revision = nextval('${schema}.working_memory_revisions'),
      last_writes = (array_append(w.last_writes, write_id))[greatest(1, cardinality(w.last_writes) - 6):]
    where (w.conversation_key = of_key or w.user_id = of_user) and w.revision = expected;
  if not found and expected = 0 then
    insert into ${schema}.working_memory (conversation_key, user_id, content, last_writes)
      values (of_key, of_user, written, array[write_id]) on conflict do nothing;
  end if;
  if found then
    return query select 'written', 0::bigint, null;
    return;
  end if;
  return query select case when write_id = any(w.last_writes) then 'written' else 'outdated' end, w.revision, w.content
    from ${schema}.working_memory w where w.conversation_key = of_key or w.user_id = of_user;
  if not found then
    return query select 'outdated', 0::bigint, null;
  end if;
end
$function$;`;
}

/**
 * Deletes the working memory of a user, and up to `at_most` conversations and `at_most` root executions with everything below them. Executions are locked first, so
 * that the last commit of their runner is deleted too. `stopped` lists the executions that had not ended.
 */
function deleteUser(schema: string): string {
  return `
create function ${schema}.delete_user(of_user text, at_most integer)
returns table (conversations integer, messages integer, executions integer, stopped text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  keys bigint[];
  tree bigint[];
begin
  delete from ${schema}.working_memory w where w.user_id = of_user;

  keys := array(select c.key from ${schema}.conversations c where c.user_id = of_user order by c.id limit at_most for update);
  delete from ${schema}.messages m where m.conversation_key = any(keys);
  get diagnostics messages = row_count;
  delete from ${schema}.conversations c where c.key = any(keys);
  get diagnostics conversations = row_count;

  keys := array(
    select e.key from ${schema}.executions e where e.user_id = of_user and e.parent_id is null
    order by e.id collate "C" limit at_most for update);
  tree := array(select e.key from ${schema}.executions e where e.root_key = any(keys)) || keys;
  stopped := (select json_agg(e.id)::text from ${schema}.executions e where e.key = any(tree) and e.ended_at is null);
  delete from ${schema}.execution_events v where v.execution_key = any(tree);
  delete from ${schema}.execution_journal j where j.root_key = any(keys);
  delete from ${schema}.executions e where e.key = any(tree);
  executions := cardinality(keys);
  return next;
end
$function$;`;
}
