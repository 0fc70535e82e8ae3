import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { expect, it, onTestFinished } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { storeViolations } from './store-violations.ts';
import { openWorld } from './world.ts';

it('no user can access the data of another in PostgreSQL through any method of the stores', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'halyard-ownership-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await copyEmbeddedTemplate(dataDir);
  const world = await openWorld({ storage: createPostgresStorage({ dataDir }) });
  onTestFinished(() => world.close());
  expect(await storeViolations(world)).toEqual([]);
});
