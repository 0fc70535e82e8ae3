import type { Storage, WebhookStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface WebhookStoreHarness {
  /** An empty storage. */
  readonly storage: Pick<Storage, 'approvals' | 'executions' | 'users'> & { readonly webhooks: WebhookStore };
  /** The time of the store's clock, within a second. */
  readonly now: () => number;
  /** Moves the store's clock. */
  readonly advance: (ms: number) => void | Promise<void>;
}

export type WebhookStoreCase = ConformanceCase<WebhookStoreHarness>;
