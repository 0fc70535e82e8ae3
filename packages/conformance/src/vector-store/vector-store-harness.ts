import type { VectorStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface VectorStoreHarness {
  /** An empty store without a fixed number of dimensions: the first vectors of a case set it. */
  readonly store: VectorStore;
}

export type VectorStoreCase = ConformanceCase<VectorStoreHarness>;
