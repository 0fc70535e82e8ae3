import type { Storage } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface WorkingMemoryStoreHarness {
  /** Empty stores. The working memory belongs to these conversations. */
  readonly storage: Pick<Storage, 'conversations' | 'workingMemory'>;
}

export type WorkingMemoryStoreCase = ConformanceCase<WorkingMemoryStoreHarness>;
