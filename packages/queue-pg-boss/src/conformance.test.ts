import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, describe } from 'vitest';
import { describeConformance } from './testing/conformance.ts';

describe('pg-boss on an embedded database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-queue-'));
  const storage = createPostgresStorage({ dataDir: join(directory, 'data'), logger: silentLogger });
  afterAll(async () => {
    await storage.close();
    rmSync(directory, { recursive: true });
  });

  describeConformance(() => storage);
});
