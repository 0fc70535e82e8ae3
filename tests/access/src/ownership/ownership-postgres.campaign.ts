import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { ownershipCases } from './ownership-cases.ts';
import { violations } from './violations.ts';
import { openWorld, type World } from './world.ts';

/**
 * `ownership-matrix.full.ts` sends the same requests with storage in memory. That both storages
 * give the same replies is what the conformance cases show, and `ownership-postgres.full.ts` calls
 * every method of the stores.
 */
describe('no user can access the data of another in PostgreSQL', () => {
  let dataDir: string;
  let world: World;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'halyard-ownership-'));
    await copyEmbeddedTemplate(dataDir);
    world = await openWorld({ storage: createPostgresStorage({ dataDir }) });
  });
  afterAll(async () => {
    await world.close();
    await rm(dataDir, { recursive: true });
  });

  it.each(ownershipCases.map((ask) => [`${ask.route} about ${ask.thing} by ${ask.by.join()}`, ask] as const))(
    '%s',
    async (_, ask) => {
      expect(await violations(world, ask, ['body.options.userId'])).toEqual([]);
    },
  );
});
