import type { ExecutionStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface ExecutionStoreHarness {
  /** An empty store. */
  readonly store: ExecutionStore;
  /** Advances the store's clock by this many milliseconds. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type ExecutionStoreCase = ConformanceCase<ExecutionStoreHarness>;
