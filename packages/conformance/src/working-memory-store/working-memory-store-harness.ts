import type { Storage } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface WorkingMemoryStoreHarness {
  /** Empty. The conversations are those that the working memory belongs to. */
  readonly storage: Pick<Storage, 'conversations' | 'workingMemory'>;
}

export type WorkingMemoryStoreCase = ConformanceCase<WorkingMemoryStoreHarness>;
