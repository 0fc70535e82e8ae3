import type { ApprovalStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface ApprovalStoreHarness {
  /** Empty. */
  readonly store: ApprovalStore;
  /** The time that the store's clock shows, in milliseconds since the epoch; a second more or less does not matter. */
  readonly now: () => number;
  /** Moves the store's clock on. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type ApprovalStoreCase = ConformanceCase<ApprovalStoreHarness>;
