import type { StreamStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface StreamStoreHarness {
  /** An empty store. */
  readonly store: StreamStore;
  /** Advances the store's clock by this many milliseconds. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type StreamStoreCase = ConformanceCase<StreamStoreHarness>;
