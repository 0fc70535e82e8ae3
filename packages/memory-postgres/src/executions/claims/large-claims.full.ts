import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { embeddedForTests } from '../../testing/embedded-template.ts';
import { openForTests } from '../../testing/open-for-test.ts';
import { toClaimJson } from '../rows/sql-arguments.ts';

const database = openForTests(embeddedForTests);
const lease = { runner: 'a runner', leaseMs: 60_000 };

it('claims large executions a megabyte at a time, and small ones of the same batch at once', async () => {
  const large = ['large-0', 'large-1', 'large-2', 'large-3', 'large-4'];
  const small = ['small-0', 'small-1'];
  for (const id of large) await create(id, randomBytes(200_000).toString('hex'));
  for (const id of small) await create(id, null);
  const batch = [...large, ...small];
  expect(await claimBatch(batch)).toEqual([...large.slice(0, 3), 'busy', 'busy', ...small]);
  expect(await claimBatch(batch)).toEqual([null, null, null, ...large.slice(3), null, null]);
});

async function create(id: string, input: string | null): Promise<void> {
  const fields = { workflowId: 'order', workflowName: 'order', context: {}, workflowState: {}, metadata: {} };
  await database.storage.executions.create({ id, ...fields, input, events: [] }, { requestId: id });
}

/** The ids that one call of the database claims, in the order of the batch. */
async function claimBatch(ids: readonly string[]): Promise<readonly (string | null)[]> {
  const items = ids.map((id) => toClaimJson(id, lease, {}));
  const rows = await database.query('select * from halyard.claim_executions($1, 0)', [`[${items.join()}]`]);
  return rows.map((row) => {
    const { claim_executions: result } = row as { claim_executions: string | null };
    if (result === null || result === 'busy') return result;
    return (JSON.parse(result) as { execution: { id: string } }).execution.id;
  });
}
