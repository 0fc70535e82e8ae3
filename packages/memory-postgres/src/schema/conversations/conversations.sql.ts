/** Conversations and their messages. Metadata and parts are stored as the text of their JSON. */
export const conversations: string = `
-- created_by and last_drop are the ids of the calls that wrote them: a call that is retried because
-- its result was lost returns the same result again.
create table halyard.conversations (
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
create index conversations_by_creation on halyard.conversations (created_at, id);
create index conversations_by_update on halyard.conversations (updated_at, id);
create index conversations_by_title on halyard.conversations (left(title, 100));
create index conversations_of_user on halyard.conversations (user_id, updated_at, id);
create index conversations_of_resource on halyard.conversations (resource_id, updated_at, id);

-- The time of a message is also its position: it is assigned while the row of the conversation is
-- locked, and is later than that of the previous message. One key serves both the newest messages
-- and paging by time.
create table halyard.messages (
  conversation_key bigint not null references halyard.conversations on delete cascade,
  created_at bigint not null,
  id text collate "C" not null,
  role text not null,
  parts text not null,
  metadata text,
  -- The writer of a message that is still growing, whose parts are rows. Null: the message is this
  -- row.
  open_by text,
  primary key (conversation_key, created_at),
  unique (conversation_key, id)
) with (fillfactor = 90);
create index messages_of_rare_roles on halyard.messages (conversation_key, role, created_at)
  where role in ('system', 'tool');

-- A write of a growing message does not repeat the parts before it.
create table halyard.message_parts (
  conversation_key bigint not null,
  message_created_at bigint not null,
  place integer not null,
  part text not null,
  primary key (conversation_key, message_created_at, place)
);

-- A write of the whole message deletes the rows of its parts. A trigger instead of a foreign key:
-- it costs nothing for messages that are not open.
create function halyard.close_message() returns trigger
language plpgsql set enable_seqscan = off as $function$
begin
  delete from halyard.message_parts p where p.conversation_key = old.conversation_key
    and p.message_created_at = old.created_at;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new.open_by := null;
  return new;
end
$function$;
create trigger close_message before delete or update of parts on halyard.messages
  for each row when (old.open_by is not null) execute function halyard.close_message();
`;
