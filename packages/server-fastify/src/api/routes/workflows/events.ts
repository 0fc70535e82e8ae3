import { AccessRefusedError } from '../../../access/access-refused-error.ts';
import { ownerForCaller } from '../../../access/identity.ts';
import { auditedForOperators } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { PublishedEvent, PublishRequest } from './schemas.ts';

export const eventRoutes = [
  defineRoute({
    method: 'POST',
    url: '/workflows/events',
    tier: 'operator',
    operationId: 'publishWorkflowEvent',
    audit: auditedForOperators('event.publish', ['channel']),
    tag: 'Workflows',
    summary: 'Publish an event for the executions that wait for it',
    description:
      "An operator's event reaches the executions of everyone; a user's only the user's own, and there only waits that are `from: 'owner'`. Executions that wait for the event later receive it too, if they were started before.",
    body: PublishRequest,
    data: PublishedEvent,
    handler: ({ body, caller }, { workflows }) => {
      // Without an owner it would be an event of the app, where the app has opened this route.
      if (caller.user === undefined && caller.isOperator !== true) throw AccessRefusedError.missing(false);
      return workflows.publish(body, { owner: ownerForCaller(caller), at: 'body/' });
    },
  }),
];
