import { type Database, fromText } from '@halyard/memory-postgres/database';
import { deadQueue } from './queue-names.ts';

/** A hint or a tick that was tried again and again, and given up. The execution itself, where there is one, is in the execution store. */
export interface DeadLetter {
  readonly id: string;
  readonly workflowId: string;
  /** Absent for a tick. */
  readonly executionId?: string;
  /** Of a tick: the name of its schedule. */
  readonly schedule?: string;
  /** How often it was tried. */
  readonly attempts: number;
  /** What went wrong the last time, for operators: texts of drivers may be in it. */
  readonly reason: string;
  /** When it was first to be handed out, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When it was given up. */
  readonly failedAt: number;
}

/** What is stored with each job. */
export interface JobData {
  readonly workflowId: string;
  readonly executionId?: string;
  readonly schedule?: string;
}

interface Row {
  readonly id: string;
  readonly data: JobData;
  readonly attempts: number;
  readonly output: { readonly message?: string; readonly value?: { readonly message?: string } } | null;
  readonly created_at: number;
  readonly failed_at: number;
}

/** The newest first. */
export async function readDeadLetters(database: Database, limit: number): Promise<readonly DeadLetter[]> {
  // Nothing was ever put into it where its tables are not there yet.
  const [table] = await database.query<{ readonly found: unknown }>('select to_regclass($1)::text as found', [
    `${database.schema}.job`,
  ]);
  if (table?.found === null) return [];
  // Its own way to list them reads them all.
  const rows = await database.query<Row>(
    `select id, data, coalesce(source_retry_count, 0) + 1 as attempts, source_output as output,
      (extract(epoch from coalesce(source_created_on, created_on)) * 1000)::float8 as created_at,
      (extract(epoch from created_on) * 1000)::float8 as failed_at
    from ${database.schema}.job where name = $1 order by created_on desc, id limit $2`,
    [deadQueue, limit],
  );
  return rows.map(letterOf);
}

function letterOf({ attempts, created_at, data, failed_at, id, output }: Row): DeadLetter {
  const { executionId, schedule, workflowId } = data;
  return {
    id,
    workflowId,
    ...(executionId !== undefined && { executionId: fromText(executionId) }),
    ...(schedule !== undefined && { schedule }),
    attempts,
    reason: output?.message ?? output?.value?.message ?? 'it was not done in time',
    createdAt: Math.floor(created_at),
    failedAt: Math.floor(failed_at),
  };
}
