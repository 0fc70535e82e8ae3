import { randomBytes } from 'node:crypto';
import { type ClaimedExecution, silentLogger, type Storage } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { emptyTables } from '../../testing/empty-tables.ts';
import { type ExplainedStorage, openExplainedStorage } from '../../testing/explained-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../../testing/server-database.ts';

const lease = { runner: 'a runner', leaseMs: 60_000 };
const definitions = { order: 'order' };

describe('due executions', () => {
  let planned: ExplainedStorage;
  beforeAll(async () => {
    planned = await openExplainedStorage(backlog);
  }, 60_000);
  afterAll(() => planned.close());

  it('is read in the order of an index, without sorting the backlog, and in turns from another', async () => {
    let claimed: readonly ClaimedExecution[] = [];
    const plans = await planned.plansOf(async () => {
      ({ claimed } = await planned.storage.executions.claimNext(lease, { definitions, limit: 10 }));
    });
    expect(claimed.map(({ execution }) => execution.id)).toContain('run-5001');
    expect(plans).toMatch(/Index Only Scan using executions_due_by_priority on executions e /);
    expect(plans).toMatch(/Index Scan using executions_due_by_subject/);
    expect(plans).not.toMatch(/Sort Key: e\.wants_runner_at/);
    expect(plans).not.toMatch(/Seq Scan on executions/);
    // Each lookup by the primary key has a condition.
    const lookups = plans.match(/using executions_pkey on executions.*\n.*/g) ?? [];
    expect(lookups.filter((lookup) => !lookup.includes('Index Cond'))).toEqual([]);
  });
});

describe('claiming due executions', () => {
  let server: ServerDatabase;
  let storage: Storage;
  let locker: Client;
  beforeAll(async () => {
    server = await createServerDatabase();
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    locker = new Client({ connectionString: server.connectionString });
    await locker.connect();
    await storage.executions.backlog(['order'], 1);
  });
  beforeEach(() => emptyTables((text, values = []) => locker.query(text, [...values]).then(({ rows }) => rows)));
  afterAll(async () => {
    await locker.end();
    await storage.close();
    await server.remove();
  });

  it('leaves out what another transaction has locked, and says that it is due', async () => {
    for (const id of ['one', 'two', 'three']) await create(id);
    await locker.query('begin');
    await locker.query(`select from halyard.executions where id = 'two' for update`);

    const next = await storage.executions.claimNext(lease, { definitions, limit: 9 });

    await locker.query('commit');
    expect([idsOf(next.claimed), next.nextDueInMs]).toEqual([['one', 'three'], 0]);
    expect(idsOf((await storage.executions.claimNext(lease, { definitions, limit: 9 })).claimed)).toEqual(['two']);
  });

  it('leaves out executions that wait for a concurrency key that another transaction has locked', async () => {
    await create('keyed', { concurrency: { key: 'eu', limit: 1 } });
    await create('free');
    await locker.query('begin');
    await locker.query(`select halyard.try_lock_concurrency_key('eu')`);

    const next = await storage.executions.claimNext(lease, { definitions, limit: 9 });

    await locker.query('commit');
    expect([idsOf(next.claimed), next.nextDueInMs]).toEqual([['free'], 0]);
    expect(idsOf((await storage.executions.claimNext(lease, { definitions, limit: 9 })).claimed)).toEqual(['keyed']);
  });

  it('locks no more than it claims', async () => {
    for (const id of ['one', 'two', 'three']) await create(id);
    await locker.query('begin');
    const rows = await locker.query<{ kind: string }>(
      `select * from halyard.claim_next('other', 60000, '{"order": "order"}', 1, 9, 9, 0)`,
    );
    expect(rows.rows.map(({ kind }) => kind)).toEqual(['claimed', 'next']);

    const next = await storage.executions.claimNext(lease, { definitions, limit: 9 });

    await locker.query('commit');
    expect(idsOf(next.claimed)).toEqual(['two', 'three']);
  });

  it('claims large executions a megabyte at a time', async () => {
    for (const id of ['one', 'two', 'three', 'four', 'five'])
      await create(id, {}, randomBytes(200_000).toString('hex'));
    const next = await storage.executions.claimNext(lease, { definitions, limit: 9 });
    expect([idsOf(next.claimed), next.nextDueInMs]).toEqual([['one', 'two', 'three'], 0]);
    const others = await storage.executions.claimNext(lease, { definitions, limit: 9 });
    expect(idsOf(others.claimed)).toEqual(['four', 'five']);
  });

  async function create(
    id: string,
    options: { readonly concurrency?: { readonly key: string; readonly limit: number } } = {},
    input: string | null = null,
  ): Promise<void> {
    const fields = { workflowId: 'order', workflowName: 'order', context: {}, workflowState: {}, metadata: {} };
    await storage.executions.create({ id, ...fields, input, events: [] }, { requestId: id, ...options });
  }
});

function idsOf(claimed: readonly ClaimedExecution[]): readonly string[] {
  return claimed.map(({ execution }) => execution.id);
}

/**
 * Five thousand executions of a user that are due, and one of another user that became due last.
 */
const columns =
  'id, root_id, path, workflow_id, workflow_name, definition, subject, status, request_id, created_at, updated_at, wants_runner_at, seq, journal_position, metadata_digests, state, input, context, metadata';
const backlog = `
insert into halyard.executions (${columns})
select 'run-' || n, 'run-' || n, '', 'order', 'order', 'order', case when n = 5001 then 'ada' else 'eve' end, 'running', 'r', n, n, n, 0, 0, '{}', '{}', 'null', '{}', '{}'
from generate_series(1, 5001) as n`;
