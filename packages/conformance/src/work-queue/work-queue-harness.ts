import type { WorkQueue } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface WorkQueueHarness {
  /**
   * Makes a queue that runs this many jobs at a time. Nothing waits in it at first. Of a queue that says `isShared`, each call is another process on the same
   * one. The case starts and closes it.
   */
  readonly open: (options: { readonly concurrency: number }) => WorkQueue;
  /** How long what is added may take until it can be handed out, in milliseconds; default 100. */
  readonly takesInMs?: number;
}

export type WorkQueueCase = ConformanceCase<WorkQueueHarness>;
