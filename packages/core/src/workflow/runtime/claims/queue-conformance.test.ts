import { workQueueCases } from '@halyard/conformance';
import { describe, expect, it } from 'vitest';
import { InProcessQueue } from './in-process-queue.ts';

describe('the queue in the process', () => {
  it.each(workQueueCases)('$name', async ({ run }) => {
    await expect(run({ open: (options) => new InProcessQueue(options) })).resolves.toBeUndefined();
  });
});
