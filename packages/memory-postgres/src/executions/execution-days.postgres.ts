import { silentLogger, type Storage } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

/** A day long ago. Its tables have the number 10 000 in this order of days. */
const day = '19970519';

describe('tables of days on a PostgreSQL server', () => {
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
  beforeEach(async () => {
    for (const [table, column] of [
      ['execution_events', 'execution_key'],
      ['execution_journal', 'root_key'],
    ]) {
      const [low, high] = [10_000n << 36n, 10_001n << 36n];
      await client.query(
        `create table if not exists halyard.${table}_${day} partition of halyard.${table} for values from (${low}) to (${high})`,
      );
      await client.query(`insert into halyard.${table} (${column}, ${table === 'execution_events' ? 'seq, event' : 'position, path, entry'})
        select ${low} + n, ${table === 'execution_events' ? "n, '{}'" : "n, '', '{}'"} from generate_series(1, 100) as n`);
    }
  });

  const tables = async (): Promise<readonly string[]> => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relname like 'execution\\_%${day}' and relkind = 'r' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('are dropped once when two processes purge at the same time', async () => {
    expect(await tables()).toEqual([`execution_events_${day}`, `execution_journal_${day}`]);
    await Promise.all(storages.map((storage) => storage.executions.purge(1_000, 500)));
    expect(await tables()).toEqual([]);
  });

  it('are kept while another transaction reads, which delays nobody for long, and dropped by the next purge', async () => {
    const [storage] = storages;
    await client.query('begin');
    await client.query('select from halyard.execution_events limit 1');
    const began = performance.now();
    const purged = storage?.executions.purge(1_000, 500);
    const fields = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
    const events = [{ type: 'workflow-start', from: 'w', timestamp: '' }];
    for (let index = 0; performance.now() - began < 2_000; index += 1) {
      const id = `beside-${index}`;
      expect(await storages[1]?.executions.create({ id, ...fields, events }, { requestId: id })).toBe('created');
    }
    await purged;
    expect(await tables()).toContain(`execution_events_${day}`);
    await client.query('commit');
    await storage?.executions.purge(1_000, 500);
    expect(await tables()).toEqual([]);
  });
});
