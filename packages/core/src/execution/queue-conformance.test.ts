import { workQueueCases } from '@halyard/conformance';
import { describe, it } from 'vitest';
import { InProcessQueue } from './in-process-queue.ts';

describe('the queue in the process', () => {
  it.each(workQueueCases)('$name', ({ run }) => run({ open: (options) => new InProcessQueue(options) }));
});
