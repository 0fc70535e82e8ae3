import type { Runner } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { fromText } from '../../connection/text-codec.ts';

interface RunnerRow {
  readonly runner: string;
  readonly since: string | number;
  readonly lease_until: string | number;
  readonly executions: string | number;
  /** Null: it has not asked for due executions. */
  readonly definitions: readonly string[] | null;
}

export async function listRunners(database: Database): Promise<readonly Runner[]> {
  const { rows } = await database.read((db) =>
    sql<RunnerRow>`select * from ${sql.raw(database.schema)}.list_runners(${database.shiftMs})`.execute(db),
  );
  return rows.map(({ definitions, executions, lease_until, runner, since }) => ({
    runner: fromText(runner),
    since: Number(since),
    leaseUntil: Number(lease_until),
    executions: Number(executions),
    ...(definitions !== null && { definitions: definitions.map(fromText) }),
  }));
}
