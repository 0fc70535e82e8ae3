import { vectorStoreCases } from '@halyard/conformance';
import { type MessageVector, silentLogger, type Storage, type VectorStore } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Client, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PostgresServer, startPostgresServer } from '../../memory-postgres/src/testing/postgres-server.ts';
import { createPgVectorStore, type PgVectorStoreOptions } from './pgvector-store.ts';
import { boundByFirst } from './testing/bound-by-first.ts';
import { foreignVectors, messageVector } from './testing/some-vectors.ts';
import { StoresIn } from './testing/stores-in.ts';
import { vectorStoreTests } from './testing/vector-store-tests.ts';
import { vectorMigrations } from './vector-migrations.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer({ fsync: false });
});
afterAll(() => server.remove());

const query = { embedding: [1, 0, 0], limit: 10, threshold: 0 };

describe('vectors on a PostgreSQL server', () => {
  let storage: Storage;
  const stores = new StoresIn(() => storage);
  beforeAll(() => {
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
  });
  afterAll(async () => {
    await stores.close();
    await storage.close();
  });

  it.each(vectorStoreCases)('$name', async ({ run }) => {
    await expect(run({ store: boundByFirst(stores.open) })).resolves.toBeUndefined();
  });
  vectorStoreTests(stores.open);
});

describe('the index of a PostgreSQL server', () => {
  const opened: VectorStore[] = [];
  afterAll(() => Promise.all(opened.map((store) => store.close())));
  const openIn = (database: string): VectorStore => {
    const connectionString = ofDatabase(database);
    const store = createPgVectorStore({ connectionString, dimensions: 3, logger: silentLogger });
    opened.push(store);
    return store;
  };
  const scansIn = (database: string): Promise<unknown> =>
    queryRows(
      `select idx_scan::integer as scans from pg_stat_user_indexes where indexrelname = 'message_vectors_nearest'`,
      database,
    );

  it('is used when many vectors match, with and without a filter, and returns as many as requested', async () => {
    await queryRows('create database many_match');
    const store = openIn('many_match');
    await store.upsert(foreignVectors(10_000, [1, 0, 0]));
    await queryRows('analyze halyard.message_vectors', 'many_match');
    expect(await store.search('anyone', { ...query, limit: 200 })).toHaveLength(200);
    expect(await store.search({ user: 'bob' }, { ...query, limit: 200 })).toHaveLength(200);
    await expect.poll(() => scansIn('many_match'), { timeout: 120_000 }).toEqual([{ scans: 2 }]);
  });

  it('is followed by an exact search when it gives up before it has found enough', async () => {
    await queryRows('create database gives_up');
    await queryRows('alter database gives_up set hnsw.max_scan_tuples = 300');
    const store = openIn('gives_up');
    const far = foreignVectors(6_000, [0, 1, 0]).map((vector) => ({
      ...vector,
      messageId: `far-${vector.messageId}`,
      conversationId: 'far',
      userId: 'carl',
    }));
    await store.upsert([...foreignVectors(2_000, [1, 0, 0]), ...far]);
    await queryRows('analyze halyard.message_vectors', 'gives_up');
    const nearest = far.map(cosineToFirst).toSorted((one, other) => other - one);
    for (const found of [
      await store.search({ user: 'carl' }, query),
      await store.search('anyone', { ...query, conversationId: 'far' }),
      await store.search('anyone', { ...query, conversationId: 'far', userId: 'carl' }),
    ]) {
      expect(found).toHaveLength(10);
      for (const [index, { score }] of found.entries()) expect(score).toBeCloseTo(nearest[index] ?? 0, 5);
    }
    await expect.poll(() => scansIn('gives_up'), { timeout: 120_000 }).toEqual([{ scans: 3 }]);
  });
});

describe('several processes on a PostgreSQL server', () => {
  const opened: (VectorStore | Storage)[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  const open = (options: Partial<PgVectorStoreOptions>): VectorStore => {
    const { connectionString } = server;
    const store = createPgVectorStore({
      connectionString,
      maxConnections: 2,
      dimensions: 3,
      logger: silentLogger,
      ...options,
    });
    opened.push(store);
    return store;
  };

  it('creates its table once when twenty stores open at the same time, in the schema of storages', async () => {
    const schema = 'twenty';
    const stores = Array.from({ length: 20 }, () => open({ schema }));
    const { connectionString } = server;
    const storages = Array.from({ length: 5 }, () =>
      createPostgresStorage({ connectionString, maxConnections: 2, schema, logger: silentLogger }),
    );
    opened.push(...storages);
    await Promise.all(stores.map((store, index) => store.upsert([messageVector(`of-${index}`, [1, index, 0])])));
    await Promise.all(storages.map(({ executions }) => executions.backlog(['order'], 1)));
    await Promise.all([...stores, ...storages].map((one) => one.check()));
    expect(await stores[0]?.search('anyone', { ...query, limit: 50 })).toHaveLength(20);
    expect(await queryRows('select number, name from twenty.vector_migrations')).toEqual([
      { number: 1, name: 'message_vectors' },
    ]);
  });

  it('writes the same messages from several processes at the same time, in any order', async () => {
    const stores = Array.from({ length: 5 }, () => open({ schema: 'same_messages' }));
    const vectors = Array.from({ length: 300 }, (_, index) => messageVector(`m-${index}`, [1, index, 0]));
    await Promise.all(stores.map((store, index) => store.upsert(index % 2 === 0 ? vectors : vectors.toReversed())));
    expect(await stores[0]?.search('anyone', { ...query, limit: 500 })).toHaveLength(300);
  });

  it('writes and deletes the same messages at the same time without deadlocks', async () => {
    const stores = Array.from({ length: 4 }, () => open({ schema: 'both_ways' }));
    const vectors = Array.from({ length: 100 }, (_, index) => messageVector(`m-${index}`, [1, index, 0]));
    const ids = vectors.map(({ messageId }) => messageId);
    const [one, other, third, fourth] = stores;
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        one?.upsert(vectors),
        other?.deleteMessages('conversation', ids.toReversed()),
        third?.upsert(vectors.toReversed()),
        round % 2 === 0 ? fourth?.deleteConversation('conversation') : fourth?.deleteUser('anna'),
      ]);
    }
    await one?.deleteUser('anna');
    expect(await one?.search('anyone', query)).toEqual([]);
  });

  it('reports the dimensions of the table to a store with other dimensions', async () => {
    await open({ schema: 'three' }).upsert([messageVector('one', [1, 0, 0])]);
    const other = open({ schema: 'three', dimensions: 384 });
    await expect(other.deleteUser('anna')).rejects.toThrow(/embeddings of 3 dimensions, but "dimensions" is 384/);
    await expect(other.check()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await expect(other.opened?.()).rejects.toThrow(/embeddings of 3 dimensions, but "dimensions" is 384/);
  });

  it('does not migrate when autoMigrate is false, and works once the migrations were run', async () => {
    const store = open({ schema: 'by_hand', autoMigrate: false });
    const message = 'The schema "by_hand" is not up to date: run the output of vectorMigrations.sql()';
    await expect(store.search('anyone', query)).rejects.toThrow(message);
    await expect(store.check()).rejects.toThrow(message);
    await expect(store.opened?.()).rejects.toThrow(message);
    await queryRows(vectorMigrations.sql({ schema: 'by_hand', dimensions: 3 }));
    await vi.waitFor(() => store.check(), 10_000);
    expect(await store.search('anyone', query)).toEqual([]);
  });

  it('reports objects that a role without rights cannot create, and works once they exist', async () => {
    await queryRows('create database locked');
    await queryRows('create role modest login');
    const connectionString = ofDatabase('locked').replace('postgres@', 'modest@');
    const store = open({ connectionString });
    await expect(store.search('anyone', query)).rejects.toThrow(/do not exist.*permission denied/);
    await expect(store.check()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await expect(store.opened?.()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await queryRows(vectorMigrations.sql({ dimensions: 3 }), 'locked');
    await queryRows('grant usage on schema halyard to modest', 'locked');
    await queryRows('grant select, insert, update, delete on all tables in schema halyard to modest', 'locked');
    await expect.poll(() => store.search('anyone', query).catch(String), { timeout: 120_000 }).toEqual([]);
    await store.upsert([messageVector('one', [1, 0, 0])]);
    expect(await store.search('anyone', query)).toHaveLength(1);
  });

  it('uses the pool of an app and leaves its settings unchanged', async () => {
    const pool = new Pool({ connectionString: server.connectionString, max: 1 });
    const storage = createPostgresStorage({ pool, schema: 'of_an_app', logger: silentLogger });
    const store = createPgVectorStore({ storage, dimensions: 3 });
    await store.upsert(foreignVectors(6_000, [1, 0, 0]));
    expect(await store.search('anyone', query)).toHaveLength(10);
    const settings = `select current_setting('hnsw.iterative_scan') as scan, current_setting('hnsw.ef_search') as ef, current_setting('jit') as jit`;
    expect((await pool.query<object>(settings)).rows).toEqual([{ scan: 'off', ef: '40', jit: 'on' }]);
    await store.close();
    expect(await storage.approvals.consume('still open', 9e15)).toBe(true);
    await storage.close();
    expect(pool.listenerCount('error')).toBe(0);
    await pool.end();
  });

  it('has made its first attempt with that of its storage, also while the server is down', async () => {
    const openIn = (database: string): VectorStore => {
      const storage = createPostgresStorage({ connectionString: ofDatabase(database), logger: silentLogger });
      const store = createPgVectorStore({ storage, dimensions: 3 });
      opened.push(storage, store);
      return store;
    };
    const mistaken = openIn('nowhere');
    await expect(mistaken.opened?.()).rejects.toThrow('database "nowhere" does not exist');
    await expect(mistaken.search('anyone', query)).rejects.toThrow('database "nowhere" does not exist');
    await server.stop();
    const store = openIn('postgres');
    const began = performance.now();
    await store.opened?.();
    expect(performance.now() - began).toBeLessThan(2_000);
    await server.start();
    await expect.poll(() => store.search('anyone', query).catch(String), { timeout: 120_000 }).toBeInstanceOf(Array);
  });

  it('has all acknowledged writes after the server crashed, and works again when the server is up', async () => {
    const store = open({ schema: 'crash' });
    await store.upsert(foreignVectors(1_000, [1, 0, 0]));
    await server.crash();
    expect(await store.search('anyone', { ...query, limit: 1_000 })).toHaveLength(1_000);
    await server.stop();
    await expect(store.search('anyone', query)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(store.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await server.start();
    await store.upsert([messageVector('after', [1, 0, 0])]);
    expect(await store.search({ user: 'anna' }, query)).toMatchObject([{ messageId: 'after', score: 1 }]);
  });
});

async function queryRows(text: string, database = 'postgres'): Promise<readonly object[]> {
  const client = new Client({ connectionString: ofDatabase(database) });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

function ofDatabase(database: string): string {
  return server.connectionString.replace(/postgres$/, database);
}

function cosineToFirst({ embedding }: MessageVector): number {
  return Math.max(0, (embedding[0] ?? 0) / Math.hypot(...embedding));
}
