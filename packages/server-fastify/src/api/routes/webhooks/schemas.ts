import { webhookEventTypes, type WebhookEventType } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';

const statuses = ['pending', 'delivered', 'failed'] as const;
const event = Type.Unsafe<WebhookEventType>({ type: 'string', enum: [...webhookEventTypes] });
const status = Type.Unsafe<(typeof statuses)[number]>({ type: 'string', enum: [...statuses] });
const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const DeliveryQuery = Type.Object({
  url: Type.Optional(Type.String({ description: 'Only those of this endpoint', maxLength: 2_048 })),
  status: Type.Optional(status),
  before: Type.Optional(
    Type.Integer({ description: '`nextCursor` of the previous page', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
});

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'Also the header `webhook-id`' }),
    url: Type.String(),
    type: event,
    at: Type.String({ description: 'When it happened' }),
    data: Type.Object(
      {
        agentId: Type.Optional(Type.String()),
        answeredBy: Type.Optional(Type.String()),
        approvalId: Type.Optional(Type.String()),
        approved: Type.Optional(Type.Boolean()),
        conversationId: Type.Optional(Type.String()),
        executionId: Type.Optional(Type.String()),
        expired: Type.Optional(Type.Literal(true)),
        outcome: Type.Optional(Type.String()),
        reason: Type.Optional(Type.String()),
        userId: Type.Optional(Type.String()),
        workflowId: Type.Optional(Type.String()),
      },
      { description: 'The ids that the request contains, and how a request was answered' },
    ),
    status,
    attempts: Type.Integer(),
    dueAt: timeOrNull('When it is sent next; null unless it is pending'),
    attemptedAt: timeOrNull('When it was sent last'),
    replyStatus: Type.Union([Type.Integer(), Type.Null()], { description: 'The status of the last reply' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed last' }),
  },
  { $id: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookEndpoint = Type.Object(
  {
    url: Type.String(),
    events: Type.Array(event),
    disabledAt: timeOrNull('When it replied that it is gone (410). Redelivering enables it'),
  },
  { $id: 'WebhookEndpoint' },
);

export const DeliveryParams = Type.Object({
  deliveryId: Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' }),
});
