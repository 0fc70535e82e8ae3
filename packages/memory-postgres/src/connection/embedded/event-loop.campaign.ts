import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';

it('creates a database without blocking the event loop', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-embedded-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const began = performance.now();
  delays.enable();
  const storage = createPostgresStorage({ dataDir });
  await storage.opened?.();
  delays.disable();
  const tookMs = performance.now() - began;
  await storage.close();
  // Creating it in this thread would block for most of that time.
  expect(delays.max / 1e6).toBeLessThan(tookMs / 2);
});
