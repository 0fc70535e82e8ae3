import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vectorStoreCases } from '@halyard/conformance';
import { ConfigurationError, silentLogger, type Storage, type VectorStore } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../memory-postgres/src/testing/embedded-template.ts';
import { createPgVectorStore } from './pgvector-store.ts';
import { boundByFirst } from './testing/bound-by-first.ts';
import { messageVector } from './testing/some-vectors.ts';
import { StoresIn } from './testing/stores-in.ts';
import { vectorStoreTests } from './testing/vector-store-tests.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'halyard-vectors-'));
  for (const name of ['tests', 'shared']) await copyEmbeddedTemplate(join(dataDir, name));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('vectors in an embedded database', () => {
  let storage: Storage;
  const stores = new StoresIn(() => storage);
  beforeAll(async () => {
    storage = createPostgresStorage({ dataDir: join(dataDir, 'tests'), logger: silentLogger });
    await storage.executions.backlog(['order'], 1);
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

describe('a directory that a storage and a vector store share', () => {
  const query = { embedding: [1, 0, 0], limit: 5, threshold: 0.5 };
  const opened: (Storage | VectorStore)[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).toReversed()) await one.close();
  });
  const openStorage = (): Storage => {
    const storage = createPostgresStorage({ dataDir: join(dataDir, 'shared'), logger: silentLogger });
    opened.push(storage);
    return storage;
  };
  const openVectors = (storage: Storage, dimensions = 3): VectorStore => {
    const vectors = createPgVectorStore({ storage, dimensions, logger: silentLogger });
    opened.push(vectors);
    return vectors;
  };

  it('has the data of both when it is opened again', async () => {
    const storage = openStorage();
    const vectors = openVectors(storage);
    await vectors.upsert([messageVector('stored', [1, 1, 0])]);
    expect(await storage.approvals.consume('once', 9e15)).toBe(true);
    await vectors.close();
    expect(await storage.approvals.consume('once', 9e15)).toBe(false);
    await storage.close();

    const again = openStorage();
    const found = await openVectors(again).search({ user: 'anna' }, query);
    expect(found).toMatchObject([
      { messageId: 'stored', text: 'text of stored', score: Number(Math.SQRT1_2.toFixed(6)) },
    ]);
    expect(await again.approvals.consume('once', 9e15)).toBe(false);
  });

  it('reports the dimensions of its table to a store with other dimensions', async () => {
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (_fields: object, message: string) => void errors.push(message) };
    const storage = openStorage();
    const vectors = createPgVectorStore({ storage, dimensions: 4, logger });
    opened.push(vectors);
    const refusal = /embeddings of 3 dimensions, but "dimensions" is 4/;
    await expect(vectors.search('anyone', { ...query, embedding: [1, 0, 0, 0] })).rejects.toThrow(refusal);
    await expect(vectors.check()).rejects.toThrow(refusal);
    await expect(vectors.deleteUser('anna')).rejects.toThrow(ConfigurationError);
    expect(errors).toEqual([expect.stringMatching(refusal)]);
    expect(await openVectors(storage).search('anyone', query)).toHaveLength(1);
  });

  it('can be closed before the database is open', async () => {
    const storage = openStorage();
    await openVectors(storage).close();
    await expect(openVectors(storage).check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  it('rejects calls when the storage is closed first', async () => {
    const storage = openStorage();
    const vectors = openVectors(storage);
    expect(await vectors.search('anyone', query)).toHaveLength(1);
    await storage.close();
    await expect(vectors.search('anyone', query)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(vectors.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await vectors.close();
  });

  it('cannot be opened by a store with its own database', () => {
    openStorage();
    expect(() => createPgVectorStore({ dataDir: join(dataDir, 'shared'), dimensions: 3 })).toThrow(
      'is in use by this process',
    );
  });
});
