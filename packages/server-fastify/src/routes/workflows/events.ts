import { ownerOf } from '../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { PublishedEvent, PublishRequest } from './schemas.ts';

export const eventRoutes = [
  defineRoute({
    method: 'POST',
    url: '/workflows/events',
    tier: 'user',
    operationId: 'publishWorkflowEvent',
    tag: 'Workflows',
    summary: 'Publish an event for the executions that wait for it',
    description:
      "A user's event reaches only executions of this user. Executions that wait for the event later receive it too, if they were started before.",
    body: PublishRequest,
    data: PublishedEvent,
    handler: ({ body, caller }, { workflows }) => workflows.publish(body, { owner: ownerOf(caller), at: 'body/' }),
  }),
];
