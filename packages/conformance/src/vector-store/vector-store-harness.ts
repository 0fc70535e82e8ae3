import type { VectorStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface VectorStoreHarness {
  /** Empty, and not bound yet to a number of dimensions: the first vectors of a case set it. */
  readonly store: VectorStore;
}

export type VectorStoreCase = ConformanceCase<VectorStoreHarness>;
