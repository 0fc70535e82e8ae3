import type { Job } from '@halyard/contracts';
import type { Database } from '../../connection/database.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { whileBusy } from '../../connection/while-busy.ts';

/** How long to try again when other transactions have locked older executions. */
const supersedeTimeoutMs = 1_000;

interface SupersededRow {
  /** Null: some are locked. */
  readonly id: string | null;
  readonly workflow_id: string;
}

/** Requests the cancellation of the executions that one replaces. */
export async function supersedeExecutions(database: Database, id: string, reason: string): Promise<readonly Job[]> {
  const superseded: Job[] = [];
  await whileBusy(
    async () => {
      const parameters = [toText(id), toText(reason), database.shiftMs];
      const rows = await database.call<SupersededRow>('supersede_executions', parameters);
      for (const row of rows)
        if (row.id !== null) superseded.push({ executionId: fromText(row.id), workflowId: fromText(row.workflow_id) });
      return rows.at(-1)?.id === null;
    },
    (isBusy) => isBusy,
    supersedeTimeoutMs,
  );
  return superseded;
}
