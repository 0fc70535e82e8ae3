import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, silentLogger, type Storage } from '@halyard/contracts';
import { WorkflowRuntime } from '@halyard/core';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleStorage, openerOf } from '../postgres-storage.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';
import { oddText, ran, upgradeWorkflow } from '../testing/releases/upgrade-workflow.ts';
import { migrationScript, storageMigrations } from './migrations.ts';

const all = storageMigrations.migrations;
const directory = join(import.meta.dirname, '../testing/releases/schemas');
const releases = readdirSync(directory)
  .toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
  .map((file) => ({ file, number: Number.parseInt(file, 10) }));

/** SHA-256 of the SQL of each migration. A released migration must not change: existing databases have run it. */
const digests: readonly string[] = [
  '52ff54cb6414bd17dee936be3df2084787a62a478b423a6790a6d85121eda264',
  '5ad929f5fb55c0a4b2a9b07699ee72b4afce7a6486fdc94b7f2215ff96e29d92',
  'd67ea740742a2161511dc5dd4df836b848d74cb35b1a61a3d83a79ba8e1bdbb5',
  '61893ca4d4a4efe41eed83381035d213e10ac028fcf0d4a3658c827380816f76',
  '8a674f968819bf13240b8bce928de621cc5c62671efdfc33152545d775f11882',
  '33fd54e0064009781bc9b22badc5e049210463d0ff932a8f0ae8cae4a575398f',
  'f3a0143b6653c1c96ec025dd340784c79f0e571c80ae2584a10d1478309d5d3e',
  'b7ca32401d3705cbbea79c7e942e1e9e05b260ea5db39d4b565e29bbf432ec29',
  'a3804f6c9998a0bc3aa1aa146bcaf59aa4370cc842a6673bbc17a3c225860e21',
  '43ebaa148c88cd202f264faeb54a5676bab4733127eb76c6ebd5314c56a72bd5',
  '84bb5ba3f5e620792007db06eda84d553427c261eaa459141814e4cc3abb0c65',
  '25e88607a903baf7bd642ff2111bf04884b3495c6d94fa15bf20c9e8c751e214',
  'd979f697ddeb9bb4440cf7d5f5d724e52c3f67fead8bb451290161e5572e6cde',
  '00b230007e414ee749be119a6e790e11c24ad8fbf15a99d6bf0d7eb0ce228fcc',
  '565f8c93a30f9186ad15bd2a0230acde3b82697b17fc92ade1d3dc35dbd38323',
  'c977fb5e7bce3060d83a0c5482bf8eeb3c3600e3976891834198994497909988',
];

it('has the data of every released schema except the newest', () => {
  const known = all.map(({ name, number }) => `${number}-${name}.sql`);
  expect(known.slice(0, releases.length)).toEqual(releases.map(({ file }) => file));
  expect(releases.length).toBeGreaterThanOrEqual(all.length - 1);
});

it('does not change released migrations', () => {
  const made = all
    .slice(0, digests.length)
    .map(({ sql }) => createHash('sha256').update(sql('"halyard"')).digest('hex'));
  expect(made).toEqual(digests);
});

describe.each(releases)('a database with the data of $file', ({ file, number }) => {
  let server: PostgresServer;
  let storage: Storage;
  let runtime: WorkflowRuntime;
  const keyOf = (executionId: string) => ({ owner: 'anyone', workflowId: 'upgrade', executionId }) as const;

  beforeAll(async () => {
    ran.length = 0;
    server = await startPostgresServer({ fsync: false });
    const { connectionString } = server;
    const shiftMs = await load(connectionString, file, number);
    storage = assembleStorage(openerOf({ connectionString }), { logger: silentLogger, clockShiftMs: () => shiftMs });
    runtime = new WorkflowRuntime({
      workflows: [upgradeWorkflow({ isOld: false })],
      storage,
      services: { logger: silentLogger },
    });
  });
  afterAll(async () => {
    await runtime.stop(1_000);
    await storage.close();
    await server.remove();
  });

  it('returns its executions', async () => {
    const { executions } = await storage.executions.list('anyone', {
      parentExecutionId: null,
      metadata: { shop: 'Oslo', odd: oddText },
      limit: 20,
      offset: 0,
    });
    expect(Object.fromEntries(executions.map(({ id, status }) => [id, status]))).toEqual({
      asks: 'suspended',
      'asks-below': 'suspended',
      completed: 'completed',
      failed: 'error',
      rewound: 'suspended',
      sleeps: 'running',
      works: 'running',
    });
    const completed = await storage.executions.find({ user: 'ada' }, 'completed');
    expect(completed).toMatchObject({
      conversationId: 'c1',
      context: { language: oddText },
      workflowState: { priced: oddText },
      output: { shipped: true, state: { priced: oddText } },
    });
    expect(await storage.executions.find({ user: 'ben' }, 'completed')).toBe(undefined);
    for (const { id, seq } of executions) {
      const events = await storage.executions.events('anyone', id, { after: 0, limit: 999 });
      expect(events.map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    }
    expect((await storage.executions.journal('anyone', 'completed')).at(-1)).toMatchObject({ path: 'ship' });
    expect((await storage.executions.find('anyone', 'asks'))?.suspensions).toMatchObject([
      { path: 'approve', data: { odd: oddText } },
    ]);
    expect((await storage.executions.find('anyone', 'rewound'))?.rewinds.length).toBe(1);
    expect(await storage.approvals.consume('used', 9e15)).toBe(false);
  });

  it('continues its executions: sleeping ones wake, those of the killed process are taken over, and no recorded step runs again', async () => {
    runtime.start();
    const statusOf = async (id: string) => (await runtime.get(keyOf(id))).status;
    await expect.poll(() => statusOf('sleeps'), { timeout: 20_000 }).toBe('completed');
    await expect.poll(() => statusOf('works'), { timeout: 20_000 }).toBe('completed');
    expect(ran.toSorted()).toEqual(['approve', 'choose-slot', 'choose-slot', 'ship', 'ship']);
    expect((await runtime.get(keyOf('works'))).output).toMatchObject({ state: { priced: oddText } });
  });

  it.each(['asks', 'asks-below', 'rewound'])('resumes suspended executions: %s', async (id) => {
    await runtime.resume(keyOf(id), { resumeData: { by: 'grace' } });
    expect(await runtime.wait(keyOf(id))).toMatchObject({ status: 'completed', result: { shipped: true } });
    const { seq } = await runtime.get(keyOf(id));
    const events = await storage.executions.events('anyone', id, { after: 0, limit: 999 });
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  });

  it('starts new executions and replays old ones', async () => {
    expect(await runtime.execute('upgrade', {}, {})).toMatchObject({ status: 'completed' });
    const executionId = await runtime.replay(keyOf('failed'), { stepId: 'lines' });
    expect(await runtime.wait({ owner: 'anyone', executionId })).toMatchObject({ status: 'error' });
  });

  it('returns its conversations and working memory, and accepts more', async () => {
    const before = number >= 2 ? ['q1', 'a1', 'a2', 's1'] : [];
    const message: Message = { id: 'q2', role: 'user', parts: [{ type: 'text', text: oddText }] };
    const create = { id: 'c1', resourceId: 'clerk', userId: 'ada', title: '', metadata: {} };
    await storage.conversations.save('anyone', { conversationId: 'c1', messages: [message], create });
    const found = await storage.conversations.messages({ user: 'ada' }, 'c1', { limit: 10 });
    expect(found?.messages.map(({ id }) => id)).toEqual([...before, 'q2']);
    if (number >= 2) {
      expect(found?.conversation).toMatchObject({ title: oddText, metadata: { odd: oddText } });
      expect(found?.messages[0]).toMatchObject({ metadata: { of: 'q1' }, parts: [{ text: `q1 ${oddText}` }] });
    }
    await storage.workingMemory.update('anyone', { scope: 'conversation', conversationId: 'c1' }, (content) => [
      ...(Array.isArray(content) ? content : []),
      'c',
    ]);
    const notes = await storage.workingMemory.read('anyone', { scope: 'conversation', conversationId: 'c1' });
    expect(notes).toEqual(number >= 2 ? ['a', 'b', 'c'] : ['c']);
    const ofUser = await storage.workingMemory.read({ user: 'ada' }, { scope: 'user', userId: 'ada' });
    expect(ofUser).toEqual(number >= 2 ? { noted: oddText } : undefined);
  });

  it('returns its traces and logs', async () => {
    const { telemetry } = storage;
    const traceId = `${'0'.repeat(31)}1`;
    const trace = (await telemetry?.findTrace({ user: 'ada' }, traceId)) ?? [];
    expect(trace.map(({ spanId }) => spanId)).toEqual(number >= 3 ? ['0000000000000001', '0000000000000002'] : []);
    const logs = await telemetry?.listLogs('anyone', { limit: 10, offset: 0 });
    expect(logs?.logs.map(({ body }) => body)).toEqual(number >= 3 ? [oddText] : []);
  });

  it('returns its streams, and marks the live one as lost', async () => {
    const { streams } = storage;
    const range = { after: 0, limit: 9 };
    const [ended, live] = [await streams?.read('ended', range), await streams?.read('live', range)];
    const hasStreams = number >= 4;
    expect(ended).toEqual(hasStreams ? { chunks: ['one', oddText, 'three'], status: 'ended' } : undefined);
    expect(live).toEqual(hasStreams ? { chunks: ['one', oddText], status: 'lost' } : undefined);
    const again = { id: 'again', agentId: 'clerk', conversationId: 'of-live', userId: 'ada' };
    expect(await streams?.begin(again, 1_000)).toEqual({ kind: 'begun' });
  });

  it('deletes the data of a user', async () => {
    await storage.users.delete('ada');
    expect(await storage.executions.find('anyone', 'completed')).toBe(undefined);
    expect(await storage.conversations.find('anyone', 'c1')).toBe(undefined);
  });
});

/** Creates a database with the schema and data of a release. @returns how far to move its clock, so that everything that was due soon is due now. */
async function load(connectionString: string, file: string, number: number): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const migrations = all.slice(0, number);
    await client.query(migrationScript({ ...storageMigrations, migrations }, { after: 0, schema: 'halyard' }));
    await client.query(readFileSync(join(directory, file), 'utf8'));
    const { rows } = await client.query<{ shift: number }>(
      `select greatest(0, max(updated_at) + 60000 - floor(extract(epoch from now()) * 1000))::float8 as shift from halyard.executions`,
    );
    return rows[0]?.shift ?? 0;
  } finally {
    await client.end();
  }
}
