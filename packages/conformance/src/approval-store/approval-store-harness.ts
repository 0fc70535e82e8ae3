import type { ApprovalStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface ApprovalStoreHarness {
  /** An empty store. */
  readonly store: ApprovalStore;
  /** The time of the store's clock within a second, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Advances the store's clock by this many milliseconds. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type ApprovalStoreCase = ConformanceCase<ApprovalStoreHarness>;
