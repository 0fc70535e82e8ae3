import { workQueueCases } from '@halyard/conformance';
import { silentLogger, type Storage } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createPgBossQueue } from '../create-pg-boss-queue.ts';

/** Declares a test for each conformance case, each in its own schema. @param storage returns the storage whose database to use. */
export function describeConformance(storage: () => Storage): void {
  let cases = 0;
  it.each(workQueueCases)('$name', async ({ run }) => {
    cases += 1;
    const settings = { storage: storage(), schema: `queue_${cases}`, pollMs: 200, logger: silentLogger };
    const running = run({
      open: ({ concurrency }) => createPgBossQueue({ ...settings, concurrency }),
      takesInMs: 1_000,
    });
    await expect(running).resolves.toBeUndefined();
  });
}
