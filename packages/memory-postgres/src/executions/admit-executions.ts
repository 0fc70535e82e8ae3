import type { DueExecution } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { whileBusy } from '../connection/while-busy.ts';
import { type DueRow, toDueExecution, withUsers } from './due-executions.ts';

/** How long to try again while other transactions claim or admit executions of the same keys. A sweep admits the others. */
const admissionTimeoutMs = 1_000;

interface AdmissionRow extends Omit<DueRow, 'id' | 'user_id'> {
  /** Null: another transaction has locked `busy_key`. */
  readonly id: string | null;
  readonly busy_key: string | null;
}

/** Makes as many waiting executions of these keys due as may run now. */
export async function admitExecutions(database: Database, keys: readonly string[]): Promise<readonly DueExecution[]> {
  if (keys.length === 0) return [];
  const admitted: Omit<DueRow, 'user_id'>[] = [];
  let remaining = keys.map(toText);
  await whileBusy(
    async () => {
      const parameters = [JSON.stringify(remaining), database.shiftMs];
      const rows = await database.call<AdmissionRow>('admit_executions', parameters);
      for (const row of rows) if (row.id !== null) admitted.push({ ...row, id: row.id });
      remaining = rows.flatMap(({ busy_key }) => busy_key ?? []);
      return remaining.length > 0;
    },
    (isBusy) => isBusy,
    admissionTimeoutMs,
  );
  return (await withUsers(database, admitted)).map(toDueExecution);
}

/** The keys for which executions wait. Each is one step through the index, however many executions wait for it. */
export async function waitingKeys(database: Database, after: string, limit: number): Promise<readonly string[]> {
  const keys = await database.callScalar<string>('waiting_keys', [toText(after), limit]);
  return keys.map(fromText);
}
