import { type WebhookDelivery, type WebhookEventType, webhookEventTypes, type WebhookFilter } from '@halyard/contracts';
import { begin } from '../execution-store/test-runner.ts';
import type { WebhookStoreHarness } from './webhook-store-harness.ts';

type Stores = WebhookStoreHarness['storage'];

export const url = 'https://example.org/hooks';
export const hour = 3_600_000;
/** Longer than any case takes. */
export const longMs: number = 24 * hour;

/** Listens for all events. */
export function listen({ webhooks }: Stores): Promise<void> {
  return webhooks.listen({ url, events: [...webhookEventTypes] }, longMs);
}

/** Runs an execution to its end. */
export async function complete({ executions }: Stores, id: string): Promise<void> {
  await (await begin(executions, { id })).finish();
}

export function deliveries(
  { webhooks }: Stores,
  filter: Partial<WebhookFilter> = {},
): Promise<readonly WebhookDelivery[]> {
  return webhooks.list({ limit: 50, ...filter });
}

/** The types and the data of all events, the earliest first. */
export async function told(storage: Stores): Promise<readonly (readonly [WebhookEventType, object])[]> {
  return (await deliveries(storage)).map(({ data, type }) => [type, data] as const).toReversed();
}

/** In an order that does not depend on that of the values. */
export function sorted(values: readonly unknown[]): readonly string[] {
  return values.map((value) => JSON.stringify(value)).toSorted((one, other) => (one < other ? -1 : 1));
}
