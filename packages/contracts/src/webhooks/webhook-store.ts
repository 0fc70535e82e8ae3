import type { WebhookData, WebhookEventType } from './webhook-event.ts';

/**
 * Stores what is to be sent to webhooks. The storage itself adds deliveries: each in the transaction
 * that changes an execution or an approval, so that no event is lost or invented.
 */
export interface WebhookStore {
  /**
   * From now on, and for this long, the events of these types are stored for the endpoint. Servers
   * call it at their start, and again before the time is over. An endpoint that is disabled stays so.
   */
  listen(endpoint: WebhookEndpoint, forMs: number): Promise<void>;

  /** The endpoints, by their addresses. */
  endpoints(): Promise<readonly StoredWebhookEndpoint[]>;

  /**
   * Takes deliveries of an endpoint that are due, those due longest first. Each is due again after
   * the lease unless it is settled. Parallel calls take different ones.
   */
  take(url: string, limit: number, leaseMs: number): Promise<readonly TakenWebhook[]>;

  /** Records the end of an attempt. Changes nothing if the delivery has been taken again since. */
  settle(taken: Pick<TakenWebhook, 'id' | 'attempts'>, result: WebhookResult): Promise<void>;

  /** No events are stored for the endpoint any more, and its pending deliveries have failed. */
  disable(url: string): Promise<void>;

  /**
   * Makes a delivery due at once, with the same id and all its attempts before it, and enables its
   * endpoint.
   *
   * @returns whether it exists.
   */
  redeliver(id: string): Promise<boolean>;

  /** The matching deliveries, the newest first. */
  list(filter: WebhookFilter): Promise<readonly WebhookDelivery[]>;

  /** Deletes deliveries of events that are as old, `limit` at most, the oldest first. @returns how many. */
  purge(olderThanMs: number, limit: number): Promise<number>;
}

export interface WebhookEndpoint {
  /** Identifies the endpoint. */
  readonly url: string;
  readonly events: readonly WebhookEventType[];
}

export interface StoredWebhookEndpoint extends WebhookEndpoint {
  /** Milliseconds since the epoch; null: it is enabled. */
  readonly disabledAt: number | null;
}

/** One event for one endpoint. */
export interface WebhookDelivery {
  /** Also the header `webhook-id`, so it stays the same in each attempt. */
  readonly id: string;
  /** Its place in the list: those of later events are greater. */
  readonly position: number;
  readonly url: string;
  readonly type: WebhookEventType;
  /** The time of the event. Milliseconds since the epoch, as below. */
  readonly at: number;
  readonly data: WebhookData;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** When the next attempt is due; null unless it is pending. */
  readonly dueAt: number | null;
  /** When the last attempt began; null before the first. */
  readonly attemptedAt: number | null;
  /** The status of the last reply; null without one. */
  readonly replyStatus: number | null;
  /** Why the last attempt failed; null unless it did. */
  readonly error: string | null;
}

export interface TakenWebhook extends Pick<WebhookDelivery, 'id' | 'url' | 'type' | 'at' | 'data' | 'attempts'> {
  /** Attempts since it was added or redelivered, with this one. */
  readonly tries: number;
}

export type WebhookResult =
  | { readonly status: 'delivered'; readonly replyStatus: number }
  | { readonly status: 'failed'; readonly replyStatus: number | null; readonly error: string }
  /** It is due again later. */
  | {
      readonly status: 'pending';
      readonly replyStatus: number | null;
      readonly error: string;
      readonly dueInMs: number;
    };

export interface WebhookFilter {
  readonly url?: string | undefined;
  readonly status?: WebhookDelivery['status'] | undefined;
  /** Only deliveries with a smaller position. */
  readonly before?: number | undefined;
  readonly limit: number;
}
