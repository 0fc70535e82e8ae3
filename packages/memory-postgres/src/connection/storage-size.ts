import type { StorageSize } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from './database.ts';

interface TableRow {
  readonly name: string;
  readonly bytes: string | number;
  readonly rows: string | number | null;
}

/**
 * The tables of the schema with their indexes, the largest first. PostgreSQL knows the sizes, and
 * estimates the rows, without reading a table. It has no estimate (-1) for a table that it has not
 * analysed yet.
 */
export async function storageSize(database: Database): Promise<StorageSize> {
  const { rows } = await database.read((db) =>
    sql<TableRow>`
      select root.relname as name, sum(pg_total_relation_size(c.oid)) as bytes, 
        (sum(c.reltuples) filter (where c.reltuples >= 0))::bigint as rows
      from pg_class c join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
      where c.relkind = 'r' and c.relnamespace = ${database.schema}::regnamespace
      group by root.relname order by bytes desc, name`.execute(db),
  );
  const tables = rows.map((row) => ({
    name: row.name,
    bytes: Number(row.bytes),
    rows: row.rows === null ? null : Number(row.rows),
  }));
  return { bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0), tables };
}
