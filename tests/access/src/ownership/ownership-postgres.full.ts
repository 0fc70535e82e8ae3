import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownershipCases } from './ownership-cases.ts';
import { storeViolations } from './store-violations.ts';
import { violations } from './violations.ts';
import { openWorld, type World } from './world.ts';

describe('no user can access the data of another in PostgreSQL', () => {
  let dataDir: string;
  let world: World;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'halyard-ownership-'));
    world = await openWorld({ storage: createPostgresStorage({ dataDir }) });
  }, 60_000);
  afterAll(async () => {
    await world.close();
    await rm(dataDir, { recursive: true });
  });

  // The fields that name a user do not depend on the storage.
  it.each(ownershipCases.map((ask) => [`${ask.route} about ${ask.thing} by ${ask.by.join()}`, ask] as const))(
    '%s',
    async (_, ask) => {
      expect(await violations(world, ask, ['body.options.userId'])).toEqual([]);
    },
  );

  it('through no method of the stores', async () => {
    expect(await storeViolations(world)).toEqual([]);
  });
});
