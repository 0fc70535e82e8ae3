import type { Migration } from './migration.ts';

/**
 * Answers while they are given. Times are milliseconds since the epoch, by the database's clock.
 *
 * `owner` is empty for what is nobody's, else `=` and the id of the user. A stream whose lease has run out is lost, also before that is noted. Chunks stand in rows
 * as they came, `chunks` being a JSON list of texts, and `upto` how many there were after it; a row may begin with some that another ends with.
 *
 * An append changes no indexed column: its row stays in its page, and no index of `streams` is touched.
 */
export const streams: Migration = {
  number: 4,
  name: 'streams',
  sql: (schema) => `
create table ${schema}.streams (
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
create unique index streams_live on ${schema}.streams (conversation_id, owner) where ended_at is null;
create index streams_ended on ${schema}.streams (ended_at, key) where ended_at is not null;
create index streams_of_owner on ${schema}.streams (owner, key) where owner <> '';

create table ${schema}.stream_chunks (
  stream_key bigint not null references ${schema}.streams on delete cascade,
  upto integer not null,
  chunks text not null,
  primary key (stream_key, upto)
);

${beginStream(schema)}
${appendToStream(schema)}
${readStream(schema)}
${purgeStreams(schema)}
${deleteStreams(schema)}`,
};

/** Plans are made once for a connection, and nobody looks at them again while the tables grow: they go by an index only. */
const byIndex = 'set enable_seqscan = off set enable_bitmapscan = off';

const now = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms';

/** `live`: the stream that is there, as JSON; null: it has begun. `lost`: the id of one whose lease had run out. */
function beginStream(schema: string): string {
  return `
create function ${schema}.begin_stream(of_id text, of_agent text, of_conversation text, of_owner text, lease_ms bigint, shift_ms bigint)
returns table (live text, lost text)
language plpgsql ${byIndex} as $function$
declare
  now_ms constant bigint := ${now};
begin
  loop
    update ${schema}.streams s set status = 'lost', ended_at = s.lease_until
      where s.conversation_id = of_conversation and s.owner = of_owner and s.ended_at is null and s.lease_until <= now_ms and s.id <> of_id
      returning s.id into lost;
    insert into ${schema}.streams (id, agent_id, conversation_id, owner, started_at, lease_until)
      values (of_id, of_agent, of_conversation, of_owner, now_ms, now_ms + lease_ms) on conflict do nothing;
    if found then
      return next;
      return;
    end if;
    -- Statements of their own: they see who came first. It may be this very call, whose answer was lost.
    if exists (select from ${schema}.streams s where s.id = of_id) then
      return next;
      return;
    end if;
    select json_build_array(s.id, s.agent_id, s.conversation_id, s.owner, s.started_at)::text into live from ${schema}.streams s
      where s.conversation_id = of_conversation and s.owner = of_owner and s.ended_at is null and s.lease_until > now_ms;
    if found then
      return next;
      return;
    end if;
  end loop;
end
$function$;`;
}

/** `appended`, `stop-requested`, `ended`, `lost`; `gap` where chunks are missing; `outgrown` where it is lost just now. */
function appendToStream(schema: string): string {
  return `
create function ${schema}.append_to_stream(
  of_id text, after integer, added integer, of_chunks text, size integer, most_bytes bigint, lease_ms bigint, is_last boolean, shift_ms bigint
) returns text
language plpgsql ${byIndex} as $function$
declare
  now_ms constant bigint := ${now};
  upto_now constant integer := after + added;
  held record;
begin
  update ${schema}.streams s set
      lease_until = now_ms + lease_ms,
      chunk_count = greatest(s.chunk_count, upto_now),
      bytes = case when upto_now > s.chunk_count then s.bytes + size else s.bytes end
    where s.id = of_id and s.ended_at is null and s.lease_until > now_ms and s.chunk_count >= after
    returning s.key, s.chunk_count, s.bytes, s.is_stop_requested into held;
  if not found then
    select s.status, s.ended_at is null and s.lease_until > now_ms as is_live, s.chunk_count into held from ${schema}.streams s where s.id = of_id;
    return case when held.status = 'ended' then 'ended' when held.is_live and held.chunk_count < after then 'gap' else 'lost' end;
  end if;
  if held.bytes > most_bytes then
    update ${schema}.streams s set status = 'lost', ended_at = now_ms, chunk_count = 0, bytes = 0 where s.key = held.key;
    delete from ${schema}.stream_chunks c where c.stream_key = held.key;
    return 'outgrown';
  end if;
  -- Where it is not longer than it was, the row is there.
  if added > 0 and held.chunk_count = upto_now then
    insert into ${schema}.stream_chunks (stream_key, upto, chunks) values (held.key, upto_now, of_chunks) on conflict do nothing;
  end if;
  if is_last then
    update ${schema}.streams s set status = 'ended', ended_at = now_ms where s.key = held.key;
    return 'ended';
  end if;
  return case when held.is_stop_requested then 'stop-requested' else 'appended' end;
end
$function$;`;
}

/** The rows that have the chunks after `after`, as far as the one that has chunk `until`; one row without chunks where there are none. */
function readStream(schema: string): string {
  return `
create function ${schema}.read_stream(of_id text, after integer, until integer, shift_ms bigint)
returns table (status text, upto integer, chunks text)
language plpgsql stable ${byIndex} as $function$
#variable_conflict use_column
begin
  return query select case when s.ended_at is null and s.lease_until <= ${now} then 'lost' else s.status end, c.upto, c.chunks
    from ${schema}.streams s left join lateral (
      select c.upto, c.chunks from ${schema}.stream_chunks c
      where c.stream_key = s.key and c.upto > after and c.upto <= least(s.chunk_count,
        (select u.upto from ${schema}.stream_chunks u where u.stream_key = s.key and u.upto >= until order by u.upto limit 1))
    ) c on true
    where s.id = of_id order by c.upto;
end
$function$;`;
}

/** Notes what was lost, and forgets what ended that long ago: so many of each at most. `lost`: ids, as JSON. */
function purgeStreams(schema: string): string {
  return `
create function ${schema}.purge_streams(older_than_ms bigint, at_most integer, shift_ms bigint)
returns table (purged integer, lost text)
language plpgsql ${byIndex} as $function$
declare
  now_ms constant bigint := ${now};
begin
  with late as materialized (
    select s.key from ${schema}.streams s where s.ended_at is null and s.lease_until <= now_ms limit at_most for update skip locked
  ), noted as (
    update ${schema}.streams s set status = 'lost', ended_at = s.lease_until from late l where s.key = l.key returning s.id
  )
  select json_agg(n.id)::text into lost from noted n;
  with old as materialized (
    select s.key from ${schema}.streams s where s.ended_at <= now_ms - older_than_ms order by s.ended_at, s.key limit at_most for update skip locked
  )
  delete from ${schema}.streams s using old o where s.key = o.key;
  get diagnostics purged = row_count;
  return next;
end
$function$;`;
}

/** Forgets streams of a user, so many at most. @returns their ids. */
function deleteStreams(schema: string): string {
  return `
create function ${schema}.delete_streams(of_owner text, at_most integer) returns setof text
language sql ${byIndex} as $function$
  with few as materialized (
    select s.key from ${schema}.streams s where s.owner = of_owner and s.owner <> '' order by s.key limit at_most for update
  )
  delete from ${schema}.streams s using few f where s.key = f.key returning s.id;
$function$;`;
}
