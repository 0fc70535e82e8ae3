import { silentLogger, type Storage } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

const lease = { runner: 'a runner', leaseMs: 60_000 };
const nothing = { entries: [], settled: [], suspensions: [], timers: [] };

let server: ServerDatabase;
let storages: readonly Storage[] = [];
let storage: Storage;
let other: Client;

beforeAll(async () => {
  server = await createServerDatabase();
  const { connectionString } = server;
  storages = Array.from({ length: 3 }, () => createPostgresStorage({ connectionString, logger: silentLogger }));
  storage = createPostgresStorage({ connectionString, logger: silentLogger });
  other = new Client({ connectionString });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  for (const each of [storage, ...storages]) await each.close();
  await server.remove();
});

async function create(ids: readonly string[], key: string, limit: number): Promise<void> {
  const fields = { input: null, context: {}, workflowState: {}, metadata: {}, events: [] };
  await Promise.all(
    ids.map((id) =>
      storage.executions.create(
        { id, workflowId: 'order', workflowName: 'order', ...fields },
        { requestId: id, concurrency: { key, limit } },
      ),
    ),
  );
}

it('runs never more than the limit, and all in the end, when several processes claim, end and admit at the same time', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `run-${index}`);
  await create(ids, 'eu', 3);
  const ended = new Set<string>();
  let running = 0;
  let mostRunning = 0;

  const run = async (executions: Storage['executions'], id: string): Promise<void> => {
    const claimed = await executions.claim(id, lease);
    if (claimed === undefined) return;
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    await executions.journal('anyone', id);
    running -= 1;
    await executions.commit({
      ...nothing,
      executionId: id,
      creationId: claimed.execution.creationId,
      epoch: claimed.execution.epoch,
      commitId: 'end',
      expectedSeq: 0,
      changes: [{ id, status: 'completed', output: null, events: [] }],
    });
    ended.add(id);
    const admitted = await executions.admit(['eu']);
    await Promise.all(admitted.map(({ executionId }) => run(executions, executionId)));
  };
  await Promise.all(ids.flatMap((id) => storages.map(({ executions }) => run(executions, id))));

  expect(mostRunning).toBeLessThanOrEqual(3);
  expect(ended.size).toBe(60);
});

it('is delayed by no lock of a key, and delays no other key', async () => {
  await create(['of-locked', 'of-free'], 'unused', 1);
  await other.query(`update halyard.executions set concurrency_key = id where id in ('of-locked', 'of-free')`);
  await other.query('begin');
  const { rows } = await other.query<{ locked: boolean }>(
    `select halyard.try_lock_concurrency_key('of-locked') as locked`,
  );
  expect(rows).toEqual([{ locked: true }]);

  const claims = await Promise.all(['of-locked', 'of-free'].map((id) => storage.executions.claim(id, lease)));
  expect(claims.map((claim) => claim?.execution.id)).toEqual([undefined, 'of-free']);

  await other.query('commit');
  expect((await storage.executions.claim('of-locked', lease))?.execution.id).toBe('of-locked');
});
