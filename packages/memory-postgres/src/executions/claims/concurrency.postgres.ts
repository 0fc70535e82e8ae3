import {
  type ClaimedExecution,
  type Commit,
  type ExecutionChange,
  type ExecutionStore,
  silentLogger,
  type Storage,
} from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../../testing/server-database.ts';

const lease = { runner: 'a runner', leaseMs: 60_000 };
const page = { parentExecutionId: null, limit: 200, offset: 0 };
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

async function create(ids: readonly string[], key: string, limit: number, userId?: string): Promise<void> {
  const fields = { input: null, context: {}, workflowState: {}, metadata: {}, events: [] };
  await Promise.all(
    ids.map((id) =>
      storage.executions.create(
        { id, workflowId: 'order', workflowName: 'order', userId, ...fields },
        { requestId: id, concurrency: { key, limit } },
      ),
    ),
  );
}

const definitions = { order: 'order' };

function commitOf({ execution }: ClaimedExecution, changes: Partial<ExecutionChange>): Commit {
  const { creationId, epoch, id, seq } = execution;
  const change = { id, events: [], ...changes };
  return { ...nothing, executionId: id, creationId, epoch, commitId: 'end', expectedSeq: seq, changes: [change] };
}

async function claimed(executions: ExecutionStore): Promise<readonly ClaimedExecution[]> {
  return (await executions.claimNext({ ...lease, runner: 'another' }, { definitions, limit: 100 })).claimed;
}

it('runs never more than the limit, and all in the end, when several processes claim and end at the same time', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `run-${index}`);
  await create(ids, 'eu', 3);
  const ended = new Set<string>();
  let running = 0;
  let mostRunning = 0;
  const run = async (executions: ExecutionStore, one: ClaimedExecution): Promise<void> => {
    const { id } = one.execution;
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    await executions.journal('anyone', id);
    running -= 1;
    await executions.commit(commitOf(one, { status: 'completed', output: null }));
    ended.add(id);
  };
  const process = async ({ executions }: Storage): Promise<void> => {
    while (ended.size < ids.length) {
      const direct = await executions.claim(ids[ended.size] ?? '', lease);
      const { claimed: next } = await executions.claimNext(lease, { definitions, limit: 5 });
      await Promise.all([...next, ...(direct === undefined ? [] : [direct])].map((one) => run(executions, one)));
    }
  };
  await Promise.all(storages.map(process));
  expect(mostRunning).toBeLessThanOrEqual(3);
  expect(ended.size).toBe(60);
});

it('ends in no deadlock when executions of the same keys are released, terminated, rewound and deleted at the same time', async () => {
  const keys = ['k-1', 'k-2', 'k-3'];
  const ids = Array.from({ length: 45 }, (_, index) => `mixed-${index}`);
  await Promise.all(
    ids.map((id, index) => create([id], keys[index % 3] ?? '', 1, index % 5 === 0 ? 'eve' : undefined)),
  );
  for (let round = 0; ; round += 1) {
    const work = storages.map(async ({ executions, users }, at) => {
      const next = await claimed(executions);
      const ends = next.map((one, index) =>
        index % 3 === 2 && round < 5
          ? executions.terminate('anyone', one.execution.id, {})
          : executions.commit(commitOf(one, { status: 'completed', output: null })),
      );
      await Promise.all([
        ...ends,
        ...(round === 2 + at ? [users.delete('eve')] : []),
        ...ids.slice(at * 3, at * 3 + 3).map((id) => executions.terminate('anyone', id, {})),
      ]);
      return next.length;
    });
    const counts = await Promise.all(work);
    const { executions: open } = await storage.executions.list('anyone', { ...page, status: 'running' });
    const left = open.filter(({ id }) => id.startsWith('mixed'));
    if (left.length === 0) break;
    expect(round).toBeLessThan(60);
    // Waiting executions are due as long as a slot is free.
    if (counts.every((count) => count === 0)) expect((await claimed(storage.executions)).length).toBeGreaterThan(0);
  }
  const { rows } = await other.query<{ deadlocks: number }>(
    `select deadlocks::integer from pg_stat_database where datname = current_database()`,
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

it.each([
  ['is deleted with its user', async () => void (await storage.users.delete('ada'))],
  ['is terminated', async () => void (await storage.executions.terminate('anyone', 'first', {}))],
])('gives its place to the next one when it %s', async (what, remove) => {
  const key = `place ${what}`;
  await create(['first'], key, 1, 'ada');
  await create(['second', 'third'], key, 1, 'eve');
  for (const id of ['first', 'second', 'third']) await storage.executions.claim(id, lease);
  await remove();
  expect((await claimed(storage.executions)).map(({ execution }) => execution.id)).toEqual(['second']);
  await storage.users.delete('ada');
  await storage.users.delete('eve');
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
