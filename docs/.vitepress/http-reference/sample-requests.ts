/** The request with which the reference shows a route. */
export interface SampleRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** Default: 200. */
  readonly status?: number;
  /** The lines after `createClient`, where the client has something better than the bare route. */
  readonly typescript?: readonly string[];
}

const assistant = { path: { id: 'assistant' } } as const;
const order = { path: { id: 'order' } } as const;
const execution = (executionId: string) => ({ path: { id: 'order', executionId } }) as const;
const conversation = { path: { conversationId: 'harbour' } } as const;
const ofAda = { query: { userId: 'ada' } } as const;
const question = { input: 'Where is order 17?' } as const;
const schema = {
  type: 'object',
  properties: { status: { type: 'string' } },
  required: ['status'],
  additionalProperties: false,
} as const;
const schemaLines = [
  'const schema = {',
  "  type: 'object',",
  "  properties: { status: { type: 'string' } },",
  "  required: ['status'],",
  '  additionalProperties: false,',
  '};',
];
const newOrder = { input: { customer: 'Ada', euros: 20 } } as const;

/** An id in a sample that the server chooses. */
export const chosenIds = {
  suspension: 'the-id-of-the-suspension',
  approval: 'the-id-of-the-request',
  ownApproval: 'the-id-of-my-request',
  grant: 'the-id-of-the-grant',
  ownGrant: 'the-id-of-my-grant',
  bulk: 'the-id-of-the-operation',
  runningBulk: 'the-id-of-a-running-operation',
  reply: 'the-id-of-the-reply',
  delivery: 'the-id-of-the-webhook',
} as const;

export const traceId = '0af7651916cd43dd8448eb211c80319c';
export const spanId = 'b7ad6b7169203331';
const trace = { path: { traceId } } as const;
const span = { path: { spanId } } as const;

/** A request for each route, by its operation id. */
export const sampleRequests: Readonly<Record<string, SampleRequest>> = {
  listAgents: {},
  getAgent: assistant,
  getAgentDefinition: assistant,
  getAgentHistory: { ...assistant, query: { limit: 10 } },
  generateText: {
    ...assistant,
    body: question,
    typescript: ["const { text } = await client.agent('assistant').text('Where is order 17?');", 'console.log(text);'],
  },
  streamText: {
    ...assistant,
    body: question,
    typescript: [
      "for await (const event of client.agent('assistant').stream('Where is order 17?')) console.log(event);",
    ],
  },
  generateObject: {
    ...assistant,
    body: { ...question, schema },
    typescript: [
      ...schemaLines,
      "console.log(await client.agent('assistant').object('Where is order 17?', { schema }));",
    ],
  },
  streamObject: {
    ...assistant,
    body: { ...question, schema },
    typescript: [
      ...schemaLines,
      "const events = client.agent('assistant').streamObject('Where is order 17?', { schema });",
      'for await (const event of events) console.log(event);',
    ],
  },
  tryModelCall: {
    ...assistant,
    body: {
      instructions: 'Answer in one sentence.',
      messages: [{ role: 'user', content: 'Where is order 17?' }],
      settings: { temperature: 0 },
    },
  },
  chat: {
    ...assistant,
    body: { ...question, options: { userId: 'ada', conversationId: 'order-17' } },
    typescript: [
      "const options = { userId: 'ada', conversationId: 'order-17' };",
      "const chunks = client.agent('assistant').chat('Where is order 17?', options);",
      'for await (const chunk of chunks) console.log(chunk);',
    ],
  },
  // Nothing is being answered.
  resumeChat: {
    path: { id: 'assistant', conversationId: 'harbour' },
    ...ofAda,
    status: 204,
    typescript: ["for await (const chunk of client.agent('assistant').resumeChat('harbour')) console.log(chunk);"],
  },
  giveFeedback: {
    ...assistant,
    body: {
      userId: 'ada',
      conversationId: 'order-16',
      messageId: chosenIds.reply,
      rating: 'up',
      note: 'Quick and right',
    },
    typescript: [
      `const reply = { userId: 'ada', conversationId: 'order-16', messageId: '${chosenIds.reply}' };`,
      "await client.agent('assistant').feedback({ ...reply, rating: 'up', note: 'Quick and right' });",
    ],
  },
  stopChat: { path: { id: 'assistant', conversationId: 'harbour' } },
  getCatalog: {},
  getIdentity: {},
  listWorkflows: {},
  getWorkflow: order,
  publishWorkflowEvent: { body: { name: 'paid', key: 'order-17', payload: { euros: 20 } } },
  executeWorkflow: {
    ...order,
    body: newOrder,
    typescript: [
      "const run = await client.workflow('order').run({ customer: 'Ada', euros: 20 });",
      'console.log(run.status, run.result);',
    ],
  },
  streamWorkflow: {
    ...order,
    body: newOrder,
    typescript: [
      "const execution = await client.workflow('order').start({ customer: 'Ada', euros: 20 });",
      'for await (const event of execution) console.log(event);',
    ],
  },
  listExecutions: { query: { workflowId: 'order', status: 'suspended' } },
  getExecution: execution('order-17'),
  getExecutionState: execution('order-17'),
  followExecution: {
    ...execution('order-17'),
    typescript: ["for await (const event of client.workflow('order').follow('order-17')) console.log(event);"],
  },
  createStreamTicket: execution('order-17'),
  suspendExecution: { path: { id: 'import', executionId: 'import-1' }, body: { reason: 'The disk is full' } },
  resumeExecution: {
    ...execution('order-18'),
    body: { resumeData: { by: 'Grace' }, options: { suspensionId: chosenIds.suspension } },
    typescript: [
      `const answer = { resumeData: { by: 'Grace' }, suspensionId: '${chosenIds.suspension}' };`,
      "const run = await client.workflow('order').resume('order-18', answer);",
      'console.log(run.status, run.result);',
    ],
  },
  retryExecution: { path: { id: 'invoice', executionId: 'invoice-1' } },
  cancelExecution: { ...execution('order-19'), body: { reason: 'The customer has left' } },
  terminateExecution: { ...execution('order-24'), body: { reason: 'Its version is gone' } },
  replayExecution: { ...execution('order-17'), body: { stepId: 'confirm' } },
  listOwnExecutions: {},
  viewExecutionEvents: execution('order-17'),
  previewBulkOperation: { body: { filter: { workflowId: 'order', status: 'suspended' } } },
  startBulkOperation: {
    body: { operation: 'cancel', filter: { ids: ['order-20'] }, reason: 'Out of stock', requestId: 'out-of-stock' },
  },
  getBulkOperation: { path: { bulkId: chosenIds.bulk } },
  cancelBulkOperation: { path: { bulkId: chosenIds.runningBulk }, body: { reason: 'Started by mistake' } },
  listTools: {},
  executeTool: {
    path: { name: 'orderStatus' },
    body: { input: { orderId: '17' } },
    typescript: ["console.log(await client.tool('orderStatus').execute({ orderId: '17' }));"],
  },
  listConversations: ofAda,
  createConversation: { body: { userId: 'ada', title: 'A trip to Lisbon' }, status: 201 },
  getConversation: { ...conversation, ...ofAda },
  updateConversation: { ...conversation, ...ofAda, body: { title: 'Harbours' } },
  deleteConversation: { path: { conversationId: 'old' }, ...ofAda },
  cloneConversation: { ...conversation, ...ofAda, body: {}, status: 201 },
  listMessages: { ...conversation, query: { userId: 'ada', limit: 20 } },
  saveMessages: {
    body: {
      userId: 'ada',
      conversationId: 'harbour',
      messages: [{ id: 'm1', role: 'user', content: 'Which harbour is near?' }],
    },
  },
  deleteMessages: { body: { userId: 'ada', conversationId: 'harbour', messageIds: ['m1'] } },
  getWorkingMemory: { ...conversation, ...ofAda },
  updateWorkingMemory: { ...conversation, ...ofAda, body: { content: 'Ada sails alone.' } },
  searchMemory: { query: { searchQuery: 'harbour', userId: 'ada' } },
  exportUser: { path: { userId: 'ada' } },
  deleteUser: { path: { userId: 'eve' } },
  viewConversations: {},
  viewConversation: conversation,
  viewMessages: conversation,
  viewWorkingMemory: conversation,
  viewMemorySearch: { query: { searchQuery: 'harbour' } },
  viewUser: { path: { userId: 'ada' } },
  listApprovals: {},
  answerApproval: {
    body: { id: chosenIds.approval, executionId: 'order-21', resumeData: { by: 'Grace' } },
  },
  listOwnApprovals: {
    typescript: ['console.log(await client.approvals.list());'],
  },
  answerOwnApproval: {
    body: { id: chosenIds.ownApproval, executionId: 'order-22', resumeData: { by: 'Grace' } },
  },
  listApprovalGrants: {},
  listOwnApprovalGrants: {
    typescript: ['console.log(await client.approvals.grants());'],
  },
  revokeApprovalGrant: { path: { grantId: chosenIds.grant } },
  revokeOwnApprovalGrant: {
    path: { grantId: chosenIds.ownGrant },
    typescript: [`await client.approvals.revoke({ id: '${chosenIds.ownGrant}' });`],
  },
  listWebhookDeliveries: { query: { status: 'failed' } },
  redeliverWebhook: { path: { deliveryId: chosenIds.delivery } },
  listAudit: { query: { limit: 10 } },
  exportAudit: {},
  getObservabilityStatus: {},
  listTraces: { query: { limit: 10 } },
  getTrace: trace,
  listSpans: { query: { model: 'gpt-5-mini', limit: 10 } },
  getSpan: span,
  listTraceLogs: trace,
  listSpanLogs: span,
  queryLogs: { query: { limit: 10 } },
  countRuns: {},
  listFailures: { query: { range: '24h' } },
  getSystem: {},
  checkUpdates: {},
  installUpdates: {},
  installUpdate: { path: { packageName: '@halyard/core' } },
  setUpObservability: { body: { publicKey: 'pk_12345678', secretKey: 'sk_12345678' } },
  getAgentCard: assistant,
  listMcpServers: {},
  getMcpServer: { path: { serverId: 'shop' } },
  listMcpTools: { path: { serverId: 'shop' } },
  listSystemLogs: { query: { level: 'warn' } },
  getLandingPage: {},
  getApiDocument: {},
  getHealth: {},
  getReadiness: {},
  getMetrics: {},
};
