import { silentLogger, type Storage } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../../testing/server-database.ts';

describe('deletions of executions on a PostgreSQL server', () => {
  let server: ServerDatabase;
  let client: Client;
  const storages: Storage[] = [];

  beforeAll(async () => {
    server = await createServerDatabase();
    for (let index = 0; index < 2; index += 1)
      storages.push(createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger }));
    client = new Client({ connectionString: server.connectionString });
    await client.connect();
    await Promise.all(storages.map((storage) => storage.executions.purge(0, 500)));
  });
  afterAll(async () => {
    await client.end();
    for (const storage of storages) await storage.close();
    await server.remove();
  });
  beforeEach(() => client.query(fill));

  async function leftRows(): Promise<unknown> {
    const { rows } = await client.query(
      `select (select count(*)::integer from halyard.executions) as executions,
         (select count(*)::integer from halyard.execution_events) as events,
         (select count(*)::integer from halyard.execution_journal) as entries,
         (select count(*)::integer from halyard.deleted_executions) as deleted`,
    );
    return rows[0];
  }
  const nothing = { executions: 0, events: 0, entries: 0, deleted: 0 };

  it('count each execution once when two processes purge at the same time', async () => {
    const counts = await Promise.all(
      storages.map(async ({ executions }) => {
        let total = 0;
        for (let deleted = 50; deleted > 0; total += deleted) deleted = await executions.purge(0, 50);
        return total;
      }),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(await leftRows()).toEqual(nothing);
  });

  it('leave nothing of a user while another process purges', async () => {
    await Promise.all([storages[0]?.executions.purge(0, 500), storages[1]?.users.delete('ada')]);
    const { rows } = await client.query(`select from halyard.executions where user_id = 'ada'`);
    expect(rows).toEqual([]);
    await storages[0]?.executions.purge(0, 500);
    expect(await leftRows()).toEqual(nothing);
  });

  it('wait until another process has deleted the events of a user', async () => {
    await client.query(`begin; select halyard.delete_trees(array(select key from halyard.executions)); commit`);
    await client.query('begin; select halyard.delete_histories(100)');
    let isDone = false;
    const deleted = storages[1]?.users.delete('ada').then(() => {
      isDone = true;
    });
    const waits = `select count(*)::integer as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await server.query(waits))[0]).toEqual({ count: 1 });
    expect(isDone).toBe(false);
    await client.query('commit');
    await deleted;
    expect(await leftRows()).toEqual(nothing);
  });

  it('leave an execution that another transaction has locked to a later purge', async () => {
    await client.query(`begin; select from halyard.executions where id = 'run-7' for update`);
    expect(await storages[0]?.executions.purge(0, 500)).toBe(299);
    await client.query('commit');
    expect(await storages[0]?.executions.purge(0, 500)).toBe(1);
    expect(await leftRows()).toEqual(nothing);
  });
});

const fill = `
insert into halyard.executions (id, root_id, path, workflow_id, workflow_name, user_id, status, created_at, updated_at, ended_at, seq, metadata_digests, state, input, context, metadata)
select 'run-' || n, 'run-' || n, '', 'w', 'W', case when n % 2 = 0 then 'ada' end, 'completed', n, n, n, 20, '{}', '{}', 'null', '{}', '{}' from generate_series(1, 300) as n;
insert into halyard.execution_events select key, n, '{}' from halyard.executions, generate_series(1, 20) as n;
insert into halyard.execution_journal select key, n, 'a', '{}' from halyard.executions, generate_series(1, 10) as n;
`;
