import { isoTime } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { ownerForCaller, subjectForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { ExecutionParams } from './schemas.ts';

const StreamTicket = Type.Object(
  {
    ticket: Type.String({ description: 'The value of `?ticket=` in the URL of the stream. It is a credential.' }),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'StreamTicket' },
);

const stream = '/workflows/:id/executions/:executionId/stream';

export const streamTicketRoutes = [
  defineRoute({
    method: 'POST',
    url: `${stream}-ticket`,
    tier: 'user',
    operationId: 'createStreamTicket',
    tag: 'Workflows',
    summary: 'Get a ticket for the events of an execution',
    description:
      "For a browser's `EventSource`, which sends no headers: for a minute, the ticket in `?ticket=` opens the stream of this execution as this user. An open stream goes on.",
    params: ExecutionParams,
    failures: [404],
    data: StreamTicket,
    handler: async ({ caller, params }, { streamTickets, workflows }) => {
      await workflows.get({ owner: ownerForCaller(caller), workflowId: params.id, executionId: params.executionId });
      const { expiresAt, ticket } = streamTickets.issue({ url: stream, params }, subjectForCaller(caller));
      return { ticket, expiresAt: isoTime(expiresAt) };
    },
  }),
];
