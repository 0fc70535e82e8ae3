import { agentCases } from './agent-cases.ts';
import { approvalCases } from './approval-cases.ts';
import type { OwnershipCase } from './ownership-case.ts';
import { telemetryCases } from './telemetry-cases.ts';
import type { Kind, Thing } from './things.ts';

const conversation = { thing: 'conversation', own: 200, others: 404 } as const;
const execution = { thing: 'execution', own: 200, others: 404 } as const;
const path = '/api/memory/conversations/:conversationId';
const inPath = ({ id }: Thing) => ({ conversationId: id });
const message = { id: 'm1', role: 'user', content: 'changed' };

const memory: readonly OwnershipCase[] = [
  ...(
    [
      [`GET ${path}`, {}],
      [`PATCH ${path}`, { body: { title: 'changed' } }],
      [`GET ${path}/messages`, {}],
      [`GET ${path}/working-memory`, {}],
      [`POST ${path}/working-memory`, { body: { content: 'changed', mode: 'append' } }],
      [`POST ${path}/working-memory`, { body: { content: 'changed', scope: 'user' } }],
      [`DELETE ${path}`, {}],
    ] as const
  ).map(([route, more]) => ({
    ...conversation,
    route,
    by: ['params.conversationId'],
    request: (thing: Thing) => ({ params: inPath(thing), ...more }),
    ...('body' in more && 'scope' in more.body && { anonymous: 400 }),
  })),
  {
    ...conversation,
    route: `GET ${path}/working-memory`,
    by: ['params.conversationId'],
    request: (thing) => ({ params: inPath(thing), query: { scope: 'user' } }),
    anonymous: 400,
  },
  {
    ...conversation,
    route: `POST ${path}/clone`,
    by: ['params.conversationId'],
    request: (thing) => ({ params: inPath(thing), body: {} }),
    own: 201,
  },
  {
    route: `POST ${path}/clone`,
    thing: 'conversation',
    by: ['body.newConversationId'],
    request: ({ id }) => ({ params: { conversationId: id }, body: { newConversationId: id } }),
    own: 409,
    others: 404,
  },
  {
    ...conversation,
    route: 'POST /api/memory/conversations',
    by: ['body.conversationId'],
    request: ({ id }) => ({ body: { conversationId: id } }),
    own: 409,
    others: 409,
    revealsIdInUse: true,
    anonymous: 400,
  },
  {
    ...conversation,
    route: 'POST /api/memory/save-messages',
    by: ['body.conversationId'],
    request: ({ id }) => ({ body: { conversationId: id, messages: [message] } }),
    anonymous: 400,
  },
  {
    ...conversation,
    route: 'POST /api/memory/save-messages',
    by: ['body.messages[].conversationId'],
    request: ({ id }) => ({
      body: {
        messages: [
          { ...message, conversationId: id },
          { conversationId: id, message: { ...message, id: 'm2' } },
        ],
      },
    }),
    anonymous: 400,
  },
  {
    ...conversation,
    route: 'POST /api/memory/messages/delete',
    by: ['body.conversationId'],
    request: ({ id }) => ({ body: { conversationId: id, messageIds: ['m1'] } }),
    anonymous: 400,
  },
  {
    ...conversation,
    route: 'GET /api/memory/search',
    by: ['query.conversationId'],
    request: ({ id }) => ({ query: { searchQuery: 'roses', conversationId: id } }),
    others: 200,
  },
  ...['GET /api/memory/users/:userId/export', 'DELETE /api/memory/users/:userId'].map((route): OwnershipCase => ({
    route,
    thing: 'user',
    by: ['params.userId'],
    request: ({ id }) => ({ params: { userId: id } }),
    own: 200,
    others: 403,
  })),
];

const executionPath = '/workflows/:id/executions/:executionId';

const executions: readonly OwnershipCase[] = (
  [
    [`GET ${executionPath}`, {}, 200],
    [`GET ${executionPath}/state`, {}, 200],
    [`GET ${executionPath}/stream`, {}, 200],
    [`GET ${executionPath}/stream`, { headers: { 'last-event-id': '1' } }, 200],
    [`POST ${executionPath}/stream-ticket`, {}, 200],
    [`POST ${executionPath}/suspend`, { body: { reason: 'x' } }, 400],
    [`POST ${executionPath}/resume`, { body: { resumeData: { by: 'x' } } }, 200],
    [`POST ${executionPath}/resume`, { body: { resumeData: 'unfit' } }, 400],
    [`POST ${executionPath}/resume`, { body: { options: { stepId: 'price' } } }, 200],
    [`POST ${executionPath}/cancel`, { body: {} }, 200],
    [`POST ${executionPath}/terminate`, { body: {} }, 200],
    [`POST ${executionPath}/retry`, {}, 400],
    [`POST ${executionPath}/replay`, { body: { stepId: 'approve' } }, 200],
    [`POST ${executionPath}/replay`, { body: { stepId: 'nowhere' } }, 400],
  ] as const
).flatMap(([route, more, own]) => [
  {
    ...execution,
    route,
    by: ['params.executionId'],
    request: ({ id }: Thing) => ({ params: { id: 'approval', executionId: id }, ...more }),
    own,
  },
]);

const subWorkflows: readonly OwnershipCase[] = (
  [
    [`GET ${executionPath}`, {}],
    [`GET ${executionPath}/stream`, {}],
    [`POST ${executionPath}/resume`, { body: { resumeData: 1 } }],
    [`POST ${executionPath}/cancel`, { body: {} }],
    [`POST ${executionPath}/terminate`, { body: {} }],
  ] as const
).map(([route, more]) => ({
  ...execution,
  thing: 'parent',
  route,
  by: ['params.executionId'],
  request: ({ inner }: Thing) => ({ params: { id: 'child', executionId: inner }, ...more }),
}));

const starts: readonly OwnershipCase[] = ['execute', 'stream'].flatMap((kind): OwnershipCase[] => {
  const route = `POST /workflows/:id/${kind}`;
  const sum = { params: { id: 'sum' } };
  const input = { a: 1, b: 1 };
  return [
    {
      route,
      thing: 'execution',
      by: ['body.options.executionId'],
      request: ({ id }) => ({ ...sum, body: { input, options: { executionId: id } } }),
      own: 409,
      others: 409,
      revealsIdInUse: true,
    },
    {
      route,
      thing: 'conversation',
      by: ['body.options.conversationId'],
      request: ({ id }) => ({ params: { id: 'repeat' }, body: { input: {}, options: { conversationId: id } } }),
      own: 200,
      // The execution is theirs, and its agent fails.
      others: kind === 'stream' ? 200 : 500,
      revealsIdInUse: true,
    },
    {
      route,
      thing: 'nothing',
      by: [],
      request: () => ({ ...sum, body: { input, options: {} } }),
      own: 200,
      others: 200,
    },
  ];
});

const tools: readonly OwnershipCase[] = [
  {
    route: 'POST /tools/:name/execute',
    thing: 'conversation',
    // A tool receives the id of the conversation unchecked, and reads no data.
    by: ['body.conversationId'],
    request: ({ id }) => ({ params: { name: 'mirror' }, body: { input: {}, conversationId: id } }),
    own: 200,
    others: 200,
    revealsIdInUse: true,
  },
];

/** Lists with data of several users: other users get the same list as without the data. */
const lists: readonly OwnershipCase[] = [
  ['GET /api/memory/conversations', 'conversation', {}],
  ['GET /api/memory/conversations', 'conversation', { limit: '1', orderBy: 'title' }],
  ['GET /api/memory/search', 'conversation', { searchQuery: 'roses' }],
  ['GET /api/memory/search', 'conversation', { searchQuery: 'roses', limit: '100' }],
  ['GET /workflows/executions', 'execution', {}],
  ['GET /workflows/executions', 'execution', { 'metadata.about': 'roses-of-ada' }],
  ['GET /workflows/executions', 'execution', { status: 'suspended', limit: '1' }],
].map(([route, thing, query]) => ({
  route: route as string,
  thing: thing as Kind,
  by: [],
  request: () => ({ query: query as Record<string, string> }),
  own: 200,
  others: 200,
}));

/** Lines of the log, which contain their user. */
const logLines: readonly OwnershipCase[] = [
  {
    route: 'GET /api/logs',
    thing: 'execution',
    by: ['query.executionId', 'query.conversationId', 'query.agentId', 'query.workflowId'],
    request: ({ id }) => ({ query: { executionId: id, level: 'trace' } }),
    own: 200,
    others: 200,
  },
];

const children: readonly OwnershipCase[] = [
  {
    route: 'GET /workflows/executions',
    thing: 'parent',
    by: ['query.parentExecutionId'],
    request: ({ id }) => ({ query: { parentExecutionId: id } }),
    own: 200,
    others: 200,
  },
];

/** api/routes/executions/bulk.test.ts tests what becomes of the executions. */
const bulk: readonly OwnershipCase[] = (
  [
    ['POST /workflows/executions/bulk/preview', {}],
    ['POST /workflows/executions/bulk', { operation: 'cancel' }],
  ] as const
).map(([route, operation]) => ({
  route,
  thing: 'execution',
  by: ['body.filter.userId'],
  request: () => ({ body: { ...operation, filter: { userId: 'ada', status: 'suspended' } } }),
  // For operators only.
  own: 403,
  others: 403,
  anonymous: 200,
  refusesFields: true,
  ...('operation' in operation && { hasNewId: true as const }),
}));

const views: Readonly<Record<string, string>> = {
  'GET /api/memory/conversations': 'GET /observability/conversations',
  [`GET ${path}`]: 'GET /observability/conversations/:conversationId',
  [`GET ${path}/messages`]: 'GET /observability/conversations/:conversationId/messages',
  [`GET ${path}/working-memory`]: 'GET /observability/conversations/:conversationId/working-memory',
  'GET /api/memory/search': 'GET /observability/memory/search',
  'GET /api/memory/users/:userId/export': 'GET /observability/users/:userId/export',
  [`GET ${executionPath}/stream`]: `GET /observability${executionPath}/stream`,
  'GET /workflows/executions': 'GET /api/executions',
};

/** Routes that exist for operators and for users, with the cases of the other one. */
const viewCases = [...lists, ...children, ...memory, ...executions, ...subWorkflows].flatMap(
  (each): readonly OwnershipCase[] => {
    const route = views[each.route];
    return route === undefined ? [] : [{ ...each, route }];
  },
);

export const ownershipCases: readonly OwnershipCase[] = [
  ...lists,
  ...viewCases,
  ...approvalCases,
  ...bulk,
  ...children,
  ...logLines,
  ...memory,
  ...agentCases,
  ...executions,
  ...subWorkflows,
  ...starts,
  ...tools,
  ...telemetryCases,
];

/** The fields in which naming another user is refused. In all others it is ignored. */
export const refusals: Readonly<Record<string, readonly string[]>> = {
  'POST /agents/:id/feedback': ['body.userId'],
  'GET /api/memory/conversations': ['query.userId'],
  'POST /api/memory/conversations': ['query.userId', 'body.userId'],
  [`GET ${path}`]: ['query.userId'],
  [`PATCH ${path}`]: ['query.userId', 'body.userId'],
  [`DELETE ${path}`]: ['query.userId'],
  [`POST ${path}/clone`]: ['query.userId', 'body.userId'],
  [`GET ${path}/messages`]: ['query.userId'],
  [`GET ${path}/working-memory`]: ['query.userId'],
  [`POST ${path}/working-memory`]: ['query.userId', 'body.userId'],
  'POST /api/memory/save-messages': ['query.userId', 'body.userId', 'body.messages[].userId'],
  'POST /api/memory/messages/delete': ['query.userId', 'body.userId'],
  'GET /api/memory/search': ['query.userId'],
  'GET /observability/conversations': ['query.userId'],
  'GET /observability/conversations/:conversationId': ['query.userId'],
  'GET /observability/conversations/:conversationId/messages': ['query.userId'],
  'GET /observability/conversations/:conversationId/working-memory': ['query.userId'],
  'GET /observability/memory/search': ['query.userId'],
};

/** Routes that concern no user. */
export const impersonal: readonly string[] = [
  'GET /',
  'GET /doc',
  'GET /healthz',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp/:serverId',
  'GET /readyz',
  'GET /metrics',
  'GET /agents',
  'GET /api/catalog',
  'GET /api/identity',
  'GET /agents/:id',
  'GET /workflows',
  'GET /workflows/:id',
  // api/routes/workflows/events.test.ts tests whose executions an event reaches.
  'POST /workflows/events',
  // api/routes/executions/bulk.test.ts tests who may read a bulk operation.
  'GET /workflows/executions/bulk/:bulkId',
  'POST /workflows/executions/bulk/:bulkId/cancel',
  'GET /tools',
  // For operators: records outlive their users. api/routes/audit/audit.test.ts tests who reads them.
  'GET /audit',
  'GET /audit/export',
  // For operators: api/routes/webhooks/webhooks.test.ts tests who reads them.
  'GET /webhooks/deliveries',
  'POST /webhooks/deliveries/:deliveryId/redeliver',
  // The signature is that of a sender, not of a user: api/routes/hooks/hooks.test.ts.
  'POST /hooks/:hookId',
  // The signature of a link names its recipient: api/routes/approvals/links/answer-link.test.ts.
  'GET /approvals/link',
  'POST /approvals/link',
  'GET /observability/agents/:id',
  'GET /observability/status',
  'GET /observability/system',
  'GET /agents/:id/card',
  'GET /mcp/servers',
  'GET /mcp/servers/:serverId',
  'GET /mcp/servers/:serverId/tools',
  // The tools check the user themselves; `@halyard/mcp` tests that they receive the verified user.
  'POST /mcp/:serverId',
  'GET /mcp/:serverId',
  'DELETE /mcp/:serverId',
  'GET /updates',
  'POST /updates',
  'POST /updates/:packageName',
  'POST /setup-observability',
];
