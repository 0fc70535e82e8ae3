import type { Runner } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { fromText } from '../connection/text-codec.ts';

interface RunnerRow {
  readonly runner: string;
  readonly since: string | number;
  readonly lease_until: string | number;
  readonly executions: string | number;
}

export async function listRunners(database: Database): Promise<readonly Runner[]> {
  const rows = await database.call<RunnerRow>('list_runners', [database.shiftMs]);
  return rows.map(({ executions, lease_until, runner, since }) => ({
    runner: fromText(runner),
    since: Number(since),
    leaseUntil: Number(lease_until),
    executions: Number(executions),
  }));
}
