import { randomUUID } from 'node:crypto';
import type {
  Clock,
  StoredWebhookEndpoint,
  TakenWebhook,
  WebhookData,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEventType,
  WebhookFilter,
  WebhookResult,
  WebhookStore,
} from '@halyard/contracts';

export interface InMemoryWebhookStoreOptions {
  /** How many deliveries are stored. Beyond that, the first are deleted. Default: 20 000. */
  readonly maxDeliveries?: number | undefined;
}

type StoredDelivery = { -readonly [Field in keyof WebhookDelivery]: WebhookDelivery[Field] } & {
  /** Tries are counted from this attempt on. */
  redeliveredAfter: number;
};

/** What is to be sent to webhooks, in one process. The other stores {@link add} it. */
export class InMemoryWebhookStore implements WebhookStore {
  readonly #clock: Clock;
  readonly #maxDeliveries: number;
  readonly #endpoints = new Map<string, StoredWebhookEndpoint & { readonly listensUntil: number }>();
  /** In the order of their positions. */
  readonly #deliveries = new Map<string, StoredDelivery>();
  #position = 0;

  constructor(clock: Clock, { maxDeliveries = 20_000 }: InMemoryWebhookStoreOptions = {}) {
    this.#clock = clock;
    this.#maxDeliveries = maxDeliveries;
  }

  /** Adds a delivery of an event for each endpoint that wants it. */
  add(type: WebhookEventType, data: WebhookData): void {
    const at = this.#clock.now();
    for (const { disabledAt, events, listensUntil, url } of this.#endpoints.values()) {
      if (!events.includes(type) || disabledAt !== null || listensUntil <= at) continue;
      this.#position += 1;
      const id = `msg_${randomUUID().replaceAll('-', '')}`;
      const attempt = {
        attempts: 0,
        attemptedAt: null,
        dueAt: at,
        error: null,
        redeliveredAfter: 0,
        replyStatus: null,
      };
      this.#deliveries.set(id, { id, position: this.#position, url, type, at, data, status: 'pending', ...attempt });
    }
    for (const id of this.#deliveries.keys()) {
      if (this.#deliveries.size <= this.#maxDeliveries) break;
      this.#deliveries.delete(id);
    }
  }

  async listen({ events, url }: WebhookEndpoint, forMs: number): Promise<void> {
    const { disabledAt = null } = this.#endpoints.get(url) ?? {};
    this.#endpoints.set(url, { url, events: [...events], disabledAt, listensUntil: this.#clock.now() + forMs });
  }

  async endpoints(): Promise<readonly StoredWebhookEndpoint[]> {
    return [...this.#endpoints.values()]
      .map(({ disabledAt, events, url }) => ({ url, events, disabledAt }))
      .toSorted((one, other) => (one.url < other.url ? -1 : 1));
  }

  async take(url: string, limit: number, leaseMs: number): Promise<readonly TakenWebhook[]> {
    const now = this.#clock.now();
    const due = [...this.#deliveries.values()]
      .filter((delivery) => delivery.url === url && delivery.dueAt !== null && delivery.dueAt <= now)
      .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0))
      .slice(0, limit);
    return due.map((delivery) => {
      delivery.attempts += 1;
      delivery.attemptedAt = now;
      delivery.dueAt = now + leaseMs;
      const { at, attempts, data, id, redeliveredAfter, type } = delivery;
      return { id, url, type, at, data, attempts, tries: attempts - redeliveredAfter };
    });
  }

  async settle({ attempts, id }: Pick<TakenWebhook, 'id' | 'attempts'>, result: WebhookResult): Promise<void> {
    const delivery = this.#deliveries.get(id);
    if (delivery?.attempts !== attempts || delivery.status !== 'pending') return;
    delivery.status = result.status;
    delivery.replyStatus = result.replyStatus;
    delivery.error = result.status === 'delivered' ? null : result.error;
    delivery.dueAt = result.status === 'pending' ? this.#clock.now() + result.dueInMs : null;
  }

  async disable(url: string): Promise<void> {
    const endpoint = this.#endpoints.get(url);
    if (endpoint?.disabledAt === null) this.#endpoints.set(url, { ...endpoint, disabledAt: this.#clock.now() });
    for (const delivery of this.#deliveries.values())
      if (delivery.url === url && delivery.dueAt !== null)
        Object.assign(delivery, { status: 'failed', dueAt: null, error: 'The endpoint is disabled' });
  }

  async redeliver(id: string): Promise<boolean> {
    const delivery = this.#deliveries.get(id);
    if (delivery === undefined) return false;
    const endpoint = this.#endpoints.get(delivery.url);
    if (endpoint !== undefined) this.#endpoints.set(delivery.url, { ...endpoint, disabledAt: null });
    delivery.status = 'pending';
    delivery.dueAt = this.#clock.now();
    delivery.redeliveredAfter = delivery.attempts;
    return true;
  }

  async list({ before = Infinity, limit, status, url }: WebhookFilter): Promise<readonly WebhookDelivery[]> {
    return [...this.#deliveries.values()]
      .filter(
        (delivery) =>
          delivery.position < before &&
          (url === undefined || delivery.url === url) &&
          (status === undefined || delivery.status === status),
      )
      .toReversed()
      .slice(0, limit)
      .map(({ redeliveredAfter: _, ...delivery }) => delivery);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const before = this.#clock.now() - olderThanMs;
    const old = [...this.#deliveries.values()].filter(({ at }) => at <= before).slice(0, limit);
    for (const { id } of old) this.#deliveries.delete(id);
    return old.length;
  }

  /** Deletes the deliveries of events about a user. */
  deleteUser(userId: string): void {
    for (const [id, { data }] of this.#deliveries) if (data.userId === userId) this.#deliveries.delete(id);
  }
}
