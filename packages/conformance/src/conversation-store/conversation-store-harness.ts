import type { ConversationStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface ConversationStoreHarness {
  /** Empty. */
  readonly store: ConversationStore;
  /** Moves the store's clock on, or back where `ms` is negative: clocks are set. */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type ConversationStoreCase = ConformanceCase<ConversationStoreHarness>;
