import type { OwnershipCase } from './ownership-case.ts';

const cases: readonly OwnershipCase[] = [
  ...(['execution', 'remembered', 'delegated', 'wait'] as const).map((thing): OwnershipCase => ({
    route: 'GET /approvals',
    thing,
    by: [],
    request: () => ({}),
    own: 200,
    others: 200,
  })),
  ...(
    [
      ['remembered', 'cashier'],
      ['delegated', 'boss'],
    ] as const
  ).map(([thing, agentId]): OwnershipCase => ({
    route: 'POST /approvals/answer',
    thing,
    by: ['body.conversationId'],
    request: ({ asked, id }) => ({ body: { id: asked[0]?.approvalId, conversationId: id, approved: false } }),
    own: 200,
    others: 404,
    done: {
      route: 'GET /agents/:id/chat/:conversationId/stream',
      request: ({ id }) => ({ params: { id: agentId, conversationId: id } }),
      isDone: ({ status }) => status === 204,
    },
  })),
  {
    route: 'POST /approvals/answer',
    thing: 'wait',
    by: ['body.executionId'],
    request: ({ asked, id }) => ({ body: { id: asked[0]?.approvalId, executionId: id, approved: false } }),
    own: 200,
    others: 404,
    done: {
      route: 'GET /workflows/:id/executions/:executionId',
      request: ({ id }) => ({ params: { id: 'shop', executionId: id } }),
      isDone: ({ text }) => !text.includes('"status":"running"'),
    },
  },
  { route: 'GET /approvals/grants', thing: 'granted', by: [], request: () => ({}), own: 200, others: 200 },
  {
    route: 'DELETE /approvals/grants/:grantId',
    thing: 'granted',
    by: ['params.grantId'],
    request: ({ inner }) => ({ params: { grantId: inner } }),
    own: 200,
    others: 404,
  },
];

/** Waiting requests belong to the user of their run, for users too. */
export const approvalCases: readonly OwnershipCase[] = [
  ...cases,
  ...cases.map((each): OwnershipCase => ({ ...each, route: each.route.replace(' /', ' /api/') })),
];
