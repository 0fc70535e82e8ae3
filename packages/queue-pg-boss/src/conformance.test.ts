import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workQueueCases } from '@halyard/conformance';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, describe, it } from 'vitest';
import { createPgBossQueue } from './create-pg-boss-queue.ts';
import { silentLogger } from './testing/silent-logger.ts';

describe('pg-boss on an embedded database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-queue-'));
  const storage = createPostgresStorage({ dataDir: join(directory, 'data'), logger: silentLogger });
  afterAll(async () => {
    await storage.close();
    rmSync(directory, { recursive: true });
  });
  let cases = 0;

  it.each(workQueueCases)(
    '$name',
    async ({ run }) => {
      cases += 1;
      const schema = `queue_${cases}`;
      await run({
        open: (options) => createPgBossQueue({ ...options, storage, schema, pollMs: 200, logger: silentLogger }),
      });
    },
    60_000,
  );
});
