import { NotFoundError, type WebhookDelivery as StoredDelivery } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { defineRoute } from '../../define/define-route.ts';
import { DeliveryParams, DeliveryQuery, WebhookDelivery, WebhookEndpoint } from './schemas.ts';

const common = { tier: 'console', tag: 'Webhooks' } as const;

export const webhookRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: '/webhooks/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the endpoints of webhooks, and what was sent to them, newest first',
    readsList: true,
    query: DeliveryQuery,
    data: Type.Object({
      endpoints: Type.Array(WebhookEndpoint),
      deliveries: Type.Array(WebhookDelivery),
      nextCursor: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Continue with `before`; null on the last page',
      }),
    }),
    handler: async ({ query: { limit, ...filter } }, { storage: { webhooks } }) => {
      if (webhooks === undefined) return { endpoints: [], deliveries: [], nextCursor: null };
      // One more shows whether others follow.
      const [endpoints, found] = await Promise.all([
        webhooks.endpoints(),
        webhooks.list({ ...filter, limit: limit + 1 }),
      ]);
      const page = found.slice(0, limit);
      return {
        endpoints: endpoints.map(({ disabledAt, events, url }) => ({
          url,
          events: [...events],
          disabledAt: toTime(disabledAt),
        })),
        deliveries: page.map(describeDelivery),
        nextCursor: found.length > limit ? (page.at(-1)?.position ?? null) : null,
      };
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/webhooks/deliveries/:deliveryId/redeliver',
    operationId: 'redeliverWebhook',
    summary: 'Send an event again, with the same id',
    description: 'Enables its endpoint, if that was disabled.',
    params: DeliveryParams,
    data: Type.Object({ redelivered: Type.Literal(true) }),
    failures: [404],
    audit: ({ params }) => ({ action: 'webhook.redeliver', target: {}, detail: { ...(params as object) } }),
    handler: async ({ params: { deliveryId } }, { storage: { webhooks } }) => {
      if ((await webhooks?.redeliver(deliveryId)) !== true) throw new NotFoundError('webhook', deliveryId);
      return { redelivered: true as const };
    },
  }),
];

function describeDelivery({ at, attemptedAt, data, dueAt, position: _, ...others }: StoredDelivery): WebhookDelivery {
  return { ...others, at: isoTime(at), data: { ...data }, dueAt: toTime(dueAt), attemptedAt: toTime(attemptedAt) };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
