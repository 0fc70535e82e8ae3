import type { ExecutionStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface ExecutionStoreHarness {
  /** Empty. */
  readonly store: ExecutionStore;
  /** Moves the store's clock on. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type ExecutionStoreCase = ConformanceCase<ExecutionStoreHarness>;
