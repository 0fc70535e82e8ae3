import { ConfigurationError } from '@halyard/contracts';
import {
  type Migration,
  type MigrationDatabase,
  type MigrationSet,
  migrationScript,
  type MigrationStatus,
  migrationStatus,
  type PendingMigration,
  runMigrations,
} from '@halyard/memory-postgres/database';
import { explainMigrationFailure } from './explain-migration-failure.ts';

export interface VectorIndexOptions {
  /**
   * How many numbers an embedding of the model has: 1 to 4000. More than 2000 are stored in half
   * precision, which an index requires.
   */
  readonly dimensions: number;
  /**
   * How many neighbours a vector has in the graph of the index: 2 to 100. Only used when the table
   * is created. Default: 16.
   */
  readonly m?: number | undefined;
  /**
   * How many candidates an insertion examines: 4 to 1000, and at least twice `m`. Only used when
   * the table is created. Default: 64.
   */
  readonly efConstruction?: number | undefined;
}

/** The column of embeddings and its index. */
export interface VectorIndex {
  readonly type: 'vector' | 'halfvec';
  readonly dimensions: number;
  readonly m: number;
  readonly efConstruction: number;
}

/**
 * Reads, prints and runs the migrations, for servers that may not change the schema
 * (`autoMigrate: false`).
 */
export const vectorMigrations: {
  /**
   * All migrations as one script, for `psql --single-transaction` or the app's own migration tool.
   * They need the right to create extensions, unless the extension `vector` exists.
   *
   * @param options `after`: the number of the last migration that was run;
   * `select max(number) from halyard.vector_migrations` returns it.
   * @throws ConfigurationError when pgvector does not support such an index.
   */
  readonly sql: (options: VectorIndexOptions & { readonly schema?: string; readonly after?: number }) => string;
  /**
   * Which migrations the schema has and lacks. Changes nothing. Rejects like `migrations.status` of
   * `@halyard/memory-postgres`.
   */
  readonly status: (database: MigrationDatabase) => Promise<MigrationStatus>;
  /**
   * Runs the migrations that the schema lacks, in one transaction. @returns the migrations that
   * were run. Rejects like `migrations.run` of `@halyard/memory-postgres`.
   *
   * @throws ConfigurationError when pgvector does not support such an index.
   */
  readonly run: (database: MigrationDatabase, options: VectorIndexOptions) => Promise<readonly PendingMigration[]>;
} = {
  sql: ({ after = 0, schema = 'halyard', ...options }) =>
    migrationScript(migrationsFor(toVectorIndex(options)), { after, schema }),
  // Which migrations there are does not depend on the index.
  status: (database) => migrationStatus(database, migrationsFor(toVectorIndex({ dimensions: 1 }))),
  run: async (database, options) => {
    try {
      return await runMigrations(database, migrationsFor(toVectorIndex(options)));
    } catch (error) {
      throw explainMigrationFailure(error) ?? error;
    }
  },
};

/** The migrations have a table of their own, because they run independently of the storage's. */
export function migrationsFor(index: VectorIndex): MigrationSet {
  return { table: 'vector_migrations', migrations: [messageVectors(index)], printedBy: 'vectorMigrations.sql()' };
}

/** The most dimensions that an index supports. */
const maxDimensions = { vector: 2_000, halfvec: 4_000 };

/** @throws ConfigurationError when pgvector does not support such an index. */
export function toVectorIndex({ dimensions, efConstruction = 64, m = 16 }: VectorIndexOptions): VectorIndex {
  checkRange('dimensions', dimensions, 1, maxDimensions.halfvec);
  checkRange('m', m, 2, 100);
  checkRange('efConstruction', efConstruction, Math.max(4, 2 * m), 1_000);
  return { type: dimensions > maxDimensions.vector ? 'halfvec' : 'vector', dimensions, m, efConstruction };
}

/** @throws ConfigurationError unless the value is a whole number from `min` to `max`. */
export function checkRange(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new ConfigurationError(`"${name}" is ${value}, but must be a whole number from ${min} to ${max}`);
}

/**
 * Up to this many vectors are compared one by one, which takes a few milliseconds, instead of
 * searching the index.
 */
const maxCompared = 5_000;

/**
 * The index finds the nearest vectors of the whole table, so a filter on its results would lose
 * matches that are further away. A conversation or user with few vectors is therefore searched by
 * comparing all of its vectors. For one with many, pgvector scans the index until enough vectors
 * match (`hnsw.iterative_scan`). If it gives up before that (`hnsw.max_scan_tuples`), all vectors
 * are compared after all. The settings apply to the function only.
 *
 * Both methods first find row locations (`ctid`), so that the second can replace the result of the
 * first: all statements of a `stable` function see the same rows. Each query is planned for its
 * values, because no single plan suits both a user with ten messages and one with a million.
 *
 * Vectors have length 1. The cosine distance does not depend on the length, but large numbers would
 * overflow.
 */
function messageVectors({ dimensions, efConstruction, m, type }: VectorIndex): Migration {
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
  matching integer := ${maxCompared + 1};
  locations tid[];
begin
  if of_conversation is not null then
    select count(*) into matching
      from (select from ${schema}.message_vectors v where v.conversation_id = of_conversation limit ${maxCompared + 1}) as counted;
  elsif of_user is not null then
    select count(*) into matching
      from (select from ${schema}.message_vectors v where v.user_id = of_user limit ${maxCompared + 1}) as counted;
  end if;

  if matching > ${maxCompared} then
    perform set_config('hnsw.ef_search', least(greatest(candidates, at_most), 1000)::text, true);
    execute format(
      'select array_agg(location) from (
        select v.ctid as location from ${schema}.message_vectors v where %s order by v.embedding <=> $1 limit $4
      ) as nearest', conditions
    ) into locations using wanted, of_conversation, of_user, at_most;
  end if;
  if locations is null or cardinality(locations) < at_most then
    execute format(
      'with compared as materialized (
        select v.ctid as location, v.embedding <=> $1 as distance from ${schema}.message_vectors v where %s
      )
      select array_agg(location) from (select location from compared order by distance limit $4) as nearest', conditions
    ) into locations using wanted, of_conversation, of_user, at_most;
  end if;
  return query
    select v.conversation_id, v.message_id, v.user_id, v.role, v.text, v.created_at, v.embedding <=> wanted as distance
    from ${schema}.message_vectors v
    where v.ctid = any(locations)
    order by distance, v.created_at desc;
end;
$function$;
`,
  };
}
