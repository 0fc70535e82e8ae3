import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type Storage } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import { copyEmbeddedTemplate } from '../../memory-postgres/src/testing/embedded-template.ts';
import { describeConformance } from './testing/conformance.ts';

describe('pg-boss on an embedded database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-queue-'));
  let storage: Storage;
  beforeAll(async () => {
    await copyEmbeddedTemplate(dataDir);
    storage = createPostgresStorage({ dataDir, logger: silentLogger });
    await storage.opened?.();
  });
  afterAll(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true });
  });

  describeConformance(() => storage);
});
