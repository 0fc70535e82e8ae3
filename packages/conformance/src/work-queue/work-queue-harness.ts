import type { WorkQueue } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs from an adapter. */
export interface WorkQueueHarness {
  /**
   * Opens an empty queue that runs this many jobs at a time. For a shared queue (`isShared`), each call opens it in another process on the same
   * queue. The case starts and closes it.
   */
  readonly open: (options: { readonly concurrency: number }) => WorkQueue;
  /** Milliseconds until an added job can be handed out. Default: 100. */
  readonly takesInMs?: number;
}

export type WorkQueueCase = ConformanceCase<WorkQueueHarness>;
