/** The working memory of a conversation or a user. */
export const workingMemory: string = `
-- Revisions come from a sequence, so a memory that was deleted and written again has a new one.
create sequence halyard.working_memory_revisions;
create table halyard.working_memory (
  conversation_key bigint unique references halyard.conversations on delete cascade,
  user_id text collate "C" unique,
  content text,
  revision bigint not null default nextval('halyard.working_memory_revisions'),
  last_writes text[] not null,
  check (num_nonnulls(conversation_key, user_id) = 1)
);

-- Writes a working memory if its revision is still expected; 0: if there is none. The result
-- outdated includes the current revision and content.
create function halyard.write_working_memory(
  of_conversation text, owner text, of_user text, write_id text, expected bigint, written text
) returns table (status text, revision bigint, content text)
language plpgsql set enable_seqscan = off as $function$
#variable_conflict use_column
declare
  of_key bigint;
begin
  if of_conversation is not null then
    select c.key into of_key from halyard.conversations c
      where c.id = of_conversation and (owner is null or c.user_id = owner) for key share;
    if not found then
      return query select 'not-found', 0::bigint, null;
      return;
    end if;
  end if;
  update halyard.working_memory w set
      content = written,
      revision = nextval('halyard.working_memory_revisions'),
      last_writes = (array_append(w.last_writes, write_id))[greatest(1, cardinality(w.last_writes) - 6):]
    where (w.conversation_key = of_key or w.user_id = of_user) and w.revision = expected;
  if not found and expected = 0 then
    insert into halyard.working_memory (conversation_key, user_id, content, last_writes)
      values (of_key, of_user, written, array[write_id]) on conflict do nothing;
  end if;
  if found then
    return query select 'written', 0::bigint, null;
    return;
  end if;
  return query select case when write_id = any(w.last_writes) then 'written' else 'outdated' end, w.revision, w.content
    from halyard.working_memory w where w.conversation_key = of_key or w.user_id = of_user;
  if not found then
    return query select 'outdated', 0::bigint, null;
  end if;
end
$function$;
`;
