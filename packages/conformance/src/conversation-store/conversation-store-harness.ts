import type { ConversationStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface ConversationStoreHarness {
  /** An empty store. */
  readonly store: ConversationStore;
  /**
   * Advances the store's clock by this many milliseconds, or sets it back when they are negative.
   */
  readonly advance: (ms: number) => Promise<void> | void;
}

export type ConversationStoreCase = ConformanceCase<ConversationStoreHarness>;
