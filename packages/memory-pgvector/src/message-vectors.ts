import type { Migration } from '@halyard/memory-postgres/database';
import type { VectorIndex } from './vector-index.ts';

/** As many vectors as are compared one by one, in some milliseconds, rather than by the index. */
const fewVectors = 5_000;

/**
 * The index finds the nearest of all: a filter on what it finds would lose what is further away. So a conversation or user with few vectors is compared vector
 * by vector; for one with many, the index is asked for more until there are enough, and when it gives up before that (`hnsw.max_scan_tuples`), they are compared
 * after all. Settings hold for the function alone.
 *
 * Both ways give places first, so that one of them can take over from the other: all statements of a `stable` function see the same rows. Each is planned for its
 * values: a plan for any user fits neither the one with ten messages nor the one with a million.
 *
 * Lengths are 1: cosine distance says as much for any length, but large numbers overflow.
 */
export function messageVectors({ dimensions, efConstruction, m, type }: VectorIndex): Migration {
  return {
    number: 1,
    name: 'message_vectors',
    sql: (schema) => `
create extension if not exists vector;

do $do$
declare
  version text := (select extversion from pg_extension where extname = 'vector');
begin
  if split_part(version, '.', 1)::integer = 0 and split_part(version, '.', 2)::integer < 8 then
    raise exception 'pgvector % is too old: install 0.8.0 or later and run "alter extension vector update"', version
      using errcode = 'feature_not_supported';
  end if;
end;
$do$;

create table ${schema}.message_vectors (
  conversation_id text not null,
  message_id text not null,
  user_id text not null,
  role text not null,
  text text not null,
  created_at double precision not null,
  embedding ${type}(${dimensions}) not null,
  primary key (conversation_id, message_id)
);
create index message_vectors_of_user on ${schema}.message_vectors (user_id);
create index message_vectors_nearest on ${schema}.message_vectors
  using hnsw (embedding ${type}_cosine_ops) with (m = ${m}, ef_construction = ${efConstruction});

create function ${schema}.nearest_messages(
  wanted ${type}, of_conversation text, of_user text, at_most integer, candidates integer
) returns table (
  conversation_id text, message_id text, user_id text, role text, text text, created_at double precision, distance double precision
)
language plpgsql stable
set hnsw.iterative_scan = 'strict_order'
set hnsw.ef_search = 40
set plan_cache_mode = force_custom_plan
set jit = off
as $function$
declare
  conditions text := case when of_conversation is null then 'true' else 'v.conversation_id = $2' end
    || case when of_user is null then '' else ' and v.user_id = $3' end;
  matching integer := ${fewVectors + 1};
  places tid[];
begin
  if of_conversation is not null then
    select count(*) into matching
      from (select from ${schema}.message_vectors v where v.conversation_id = of_conversation limit ${fewVectors + 1}) as few;
  elsif of_user is not null then
    select count(*) into matching
      from (select from ${schema}.message_vectors v where v.user_id = of_user limit ${fewVectors + 1}) as few;
  end if;

  if matching > ${fewVectors} then
    perform set_config('hnsw.ef_search', least(greatest(candidates, at_most), 1000)::text, true);
    execute format(
      'select array_agg(place) from (
        select v.ctid as place from ${schema}.message_vectors v where %s order by v.embedding <=> $1 limit $4
      ) as nearest', conditions
    ) into places using wanted, of_conversation, of_user, at_most;
  end if;
  if places is null or cardinality(places) < at_most then
    execute format(
      'with compared as materialized (
        select v.ctid as place, v.embedding <=> $1 as distance from ${schema}.message_vectors v where %s
      )
      select array_agg(place) from (select place from compared order by distance limit $4) as nearest', conditions
    ) into places using wanted, of_conversation, of_user, at_most;
  end if;
  return query
    select v.conversation_id, v.message_id, v.user_id, v.role, v.text, v.created_at, v.embedding <=> wanted as distance
    from ${schema}.message_vectors v
    where v.ctid = any(places)
    order by distance, v.created_at desc;
end;
$function$;
`,
  };
}
