import type { StreamStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface StreamStoreHarness {
  /** Empty. */
  readonly store: StreamStore;
  /** Moves the store's clock on. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type StreamStoreCase = ConformanceCase<StreamStoreHarness>;
