import { nowMs } from './fragments.ts';

/** Resumable streams. */
export const streams: string = `
-- owner is empty for a stream without a user, else "=" and the user's id. A stream whose lease has
-- expired is lost, even before its status is updated. An append changes no indexed column, so the
-- update stays on its page and touches no index (HOT).
create table halyard.streams (
  key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  agent_id text not null,
  conversation_id text collate "C" not null,
  owner text collate "C" not null,
  started_at bigint not null,
  lease_until bigint not null,
  status text not null default 'live',
  ended_at bigint,
  is_stop_requested boolean not null default false,
  chunk_count integer not null default 0,
  bytes bigint not null default 0
) with (fillfactor = 70);
create unique index streams_live on halyard.streams (conversation_id, owner) where ended_at is null;
create index streams_ended on halyard.streams (ended_at, key) where ended_at is not null;
create index streams_of_owner on halyard.streams (owner, key) where owner <> '';

-- One row for each append: chunks is a JSON list of texts, and upto the number of chunks up to its
-- end. A row may repeat chunks at the end of the row before.
create table halyard.stream_chunks (
  stream_key bigint not null references halyard.streams on delete cascade,
  upto integer not null,
  chunks text not null,
  primary key (stream_key, upto)
);

-- Begins a stream. live is the JSON of the live stream that prevents it, else null. lost is the id
-- of a stream whose lease had expired.
create function halyard.begin_stream(
  of_id text, of_agent text, of_conversation text, of_owner text, lease_ms bigint, shift_ms bigint
) returns table (live text, lost text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
begin
  loop
    update halyard.streams s set status = 'lost', ended_at = s.lease_until
      where s.conversation_id = of_conversation and s.owner = of_owner and s.ended_at is null
        and s.lease_until <= now_ms and s.id <> of_id
      returning s.id into lost;
    insert into halyard.streams (id, agent_id, conversation_id, owner, started_at, lease_until)
      values (of_id, of_agent, of_conversation, of_owner, now_ms, now_ms + lease_ms) on conflict do nothing;
    if found then
      return next;
      return;
    end if;
    -- A separate statement sees a stream that another call has inserted, or this call itself before
    -- a retry.
    if exists (select from halyard.streams s where s.id = of_id) then
      return next;
      return;
    end if;
    select row_to_json(s)::text into live from halyard.streams s
      where s.conversation_id = of_conversation and s.owner = of_owner and s.ended_at is null
        and s.lease_until > now_ms;
    if found then
      return next;
      return;
    end if;
  end loop;
end
$function$;

-- Appends chunks and extends the lease. Returns appended, stop-requested, ended, or lost; gap when
-- chunks are missing before these; too-long when the stream exceeds its limit and is lost by this
-- call.
create function halyard.append_to_stream(
  of_id text, after integer, added integer, of_chunks text, size integer, most_bytes bigint, lease_ms bigint,
    is_last boolean, shift_ms bigint
) returns text
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
  upto_now constant integer := after + added;
  stream record;
begin
  update halyard.streams s set
      lease_until = now_ms + lease_ms,
      chunk_count = greatest(s.chunk_count, upto_now),
      bytes = case when upto_now > s.chunk_count then s.bytes + size else s.bytes end
    where s.id = of_id and s.ended_at is null and s.lease_until > now_ms and s.chunk_count >= after
    returning s.key, s.chunk_count, s.bytes, s.is_stop_requested into stream;
  if not found then
    select s.status, s.ended_at is null and s.lease_until > now_ms as is_live, s.chunk_count into stream
      from halyard.streams s where s.id = of_id;
    return case when stream.status = 'ended' then 'ended' when stream.is_live and stream.chunk_count < after then 'gap'
      else 'lost' end;
  end if;
  if stream.bytes > most_bytes then
    update halyard.streams s set status = 'lost', ended_at = now_ms, chunk_count = 0,
      bytes = 0 where s.key = stream.key;
    delete from halyard.stream_chunks c where c.stream_key = stream.key;
    return 'too-long';
  end if;
  -- Chunks that were appended before are not inserted again.
  if added > 0 and stream.chunk_count = upto_now then
    insert into halyard.stream_chunks (stream_key, upto, chunks) values (stream.key, upto_now,
      of_chunks) on conflict do nothing;
  end if;
  if is_last then
    update halyard.streams s set status = 'ended', ended_at = now_ms where s.key = stream.key;
    return 'ended';
  end if;
  return case when stream.is_stop_requested then 'stop-requested' else 'appended' end;
end
$function$;

-- Returns the rows with the chunks after "after", up to the row that contains chunk "until", or one
-- row without chunks when there are none.
create function halyard.read_stream(of_id text, after integer, until integer, shift_ms bigint)
returns table (status text, upto integer, chunks text)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off as $function$
#variable_conflict use_column
begin
  return query select case when s.ended_at is null and s.lease_until <= ${nowMs} then 'lost' else s.status end, c.upto,
    c.chunks
    from halyard.streams s left join lateral (
      select c.upto, c.chunks from halyard.stream_chunks c
      where c.stream_key = s.key and c.upto > after and c.upto <= least(s.chunk_count,
        (select u.upto from halyard.stream_chunks u where u.stream_key = s.key and u.upto >= until order by u.upto
          limit 1))
    ) c on true
    where s.id = of_id order by c.upto;
end
$function$;

-- Marks streams with an expired lease as lost and deletes streams that ended long ago, up to
-- at_most of each. lost is a JSON list of ids.
create function halyard.purge_streams(older_than_ms bigint, at_most integer, shift_ms bigint)
returns table (purged integer, lost text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $function$
declare
  now_ms constant bigint := ${nowMs};
begin
  with expired as materialized (
    select s.key from halyard.streams s where s.ended_at is null and s.lease_until <= now_ms limit at_most
      for update skip locked
  ), marked as (
    update halyard.streams s set status = 'lost', ended_at = s.lease_until from expired x where s.key = x.key
      returning s.id
  )
  select json_agg(m.id)::text into lost from marked m;
  with ended as materialized (
    select s.key from halyard.streams s where s.ended_at <= now_ms - older_than_ms order by s.ended_at, s.key
      limit at_most for update skip locked
  )
  delete from halyard.streams s using ended e where s.key = e.key;
  get diagnostics purged = row_count;
  return next;
end
$function$;

-- Deletes up to at_most streams of a user. Returns their ids.
create function halyard.delete_streams(of_owner text, at_most integer) returns setof text
language sql set enable_seqscan = off set enable_bitmapscan = off as $function$
  with batch as materialized (
    select s.key from halyard.streams s where s.owner = of_owner and s.owner <> '' order by s.key
      limit at_most for update
  )
  delete from halyard.streams s using batch b where s.key = b.key returning s.id;
$function$;
`;
