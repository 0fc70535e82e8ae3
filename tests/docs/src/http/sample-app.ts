import { once } from 'node:events';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import type { McpServer } from '@halyard/core/server';
import { keywordEmbedding, scriptedModel } from '@halyard/core/testing';
import {
  createInMemoryStorage,
  createInMemoryTelemetryStore,
  createInMemoryVectorStore,
} from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { sampleOrigin } from '../../../../docs/.vitepress/http-reference/request-samples.ts';
import { chosenIds, spanId, traceId } from '../../../../docs/.vitepress/http-reference/sample-requests.ts';
import { openOutdatedApp } from '../../../../packages/server-fastify/src/testing/updates-requests.ts';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

/** The app that the samples of the reference are sent to. */
export interface SampleApp {
  /** Replaces the address and the ids that the server chooses in a sample. */
  adapt(sample: string): string;
  /** The replies since the last call: `POST /agents/:id/text 200`. */
  takeReplies(): readonly string[];
  /** Lets the package be outdated again. */
  outdate(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an app with everything that the samples name. */
export async function openSampleApp(): Promise<SampleApp> {
  const outdated = await openOutdatedApp();
  const checking = new AbortController();
  const server = await createServer({
    limits: unreachableLimits,
    agents: [assistant, clerk],
    workflows: [order, invoices(), imports, reviews(checking)],
    tools: [orderStatus],
    mcpServers: [shop],
    memory: createMemory({ embedding: keywordEmbedding(['harbour']), vectors: createInMemoryVectorStore() }),
    storage: createInMemoryStorage(),
    telemetry: { store: await tracedStore() },
    updates: { directory: outdated.directory, registry: outdated.registry.url },
    webhooks: [
      {
        url: 'http://127.0.0.1:1/',
        secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
        allowPrivateAddresses: true,
      },
    ],
    logger: false,
    signals: false,
    console: false,
  });
  let replies: string[] = [];
  server.app.addHook('onResponse', (request, reply, done) => {
    replies.push(`${request.method} ${request.routeOptions.url ?? request.url} ${reply.statusCode}`);
    done();
  });
  const origin = await server.listen({ port: 0 });
  const ids = await fill(origin);
  return {
    adapt: (sample) =>
      [[sampleOrigin, origin] as const, ...ids].reduce((text, [from, to]) => text.replaceAll(from, to), sample),
    takeReplies: () => {
      const taken = replies;
      replies = [];
      return taken;
    },
    outdate: () => outdated.outdate(),
    close: async () => {
      checking.abort();
      await server.close();
      await outdated.remove();
    },
  };
}

const orderStatus = createTool({
  name: 'orderStatus',
  description: 'Where an order is',
  input: Type.Object({ orderId: Type.String() }),
  execute: () => ({ status: 'shipped' }),
});

const assistant = new Agent({
  id: 'assistant',
  description: 'Answers questions about orders',
  model: scriptedModel(({ responseFormat }) =>
    responseFormat?.type === 'json' ? '{ "status": "shipped" }' : 'It arrives on Friday.',
  ),
  tools: [orderStatus],
});

const clerk = new Agent({
  id: 'clerk',
  description: 'Refunds orders',
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'It is on its way.' : { toolCalls: [{ toolName: 'refund', input: {} }] },
  ),
  tools: [
    createTool({
      name: 'refund',
      description: 'Pays an order back',
      input: Type.Object({}),
      needsApproval: { always: true },
      execute: () => 'refunded',
    }),
  ],
});

const order = createWorkflow({
  id: 'order',
  input: Type.Object({ customer: Type.String(), euros: Type.Number() }),
  resumeSchema: Type.Object({ by: Type.String() }),
})
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, suspend }) =>
      data.euros < 1_000 || resumeData !== undefined ? data : suspend(`${data.customer} orders for € ${data.euros}`),
  })
  .andThen({ id: 'confirm', execute: ({ data }) => ({ confirmed: data.customer }) });

/** Its first attempt fails. */
function invoices() {
  let attempts = 0;
  return createWorkflow({ id: 'invoice' }).andThen({
    id: 'send',
    execute: () => {
      attempts += 1;
      if (attempts === 1) throw new RangeError('The mail server is down');
      return 'sent';
    },
  });
}

/** Runs until it is stopped. */
const imports = createWorkflow({ id: 'import' }).andThen({
  id: 'read',
  execute: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new RangeError('stopped')));
    }),
});

/**
 * Answers are checked until the app closes, so that a bulk operation that answers does not end
 * before.
 */
function reviews({ signal }: AbortController) {
  const anything = { input: () => ({}), output: () => ({}) };
  const validate = async (value: unknown) => {
    if (!signal.aborted) await once(signal, 'abort');
    return { value };
  };
  return createWorkflow({
    id: 'review',
    resumeSchema: { '~standard': { version: 1, vendor: 'samples', validate, jsonSchema: anything } },
  }).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs a review') });
}

const shop: McpServer = {
  id: 'shop',
  name: 'Shop',
  version: '1.0.0',
  description: 'The tools of the shop',
  transport: 'streamable-http',
  workflows: [],
  listTools: async () => [
    {
      name: 'orderStatus',
      description: 'Where an order is',
      inputSchema: orderStatus.input.jsonSchema,
      outputSchema: null,
    },
  ],
  close: async () => {},
};

async function tracedStore() {
  const store = createInMemoryTelemetryStore();
  const span = {
    traceId,
    spanId,
    parentSpanId: null,
    isEntry: true,
    name: 'invoke_agent assistant',
    kind: 0,
    startTime: 1,
    endTime: 2,
    attributes: { 'entity.type': 'agent', 'entity.id': 'assistant' },
    status: { code: 1 },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'samples', version: '1' },
  } as const;
  await store.write({
    spans: [span],
    logs: [{ timestamp: 1, severityNumber: 9, severityText: 'INFO', body: 'a line', attributes: {}, traceId, spanId }],
  });
  return store;
}

/**
 * Creates the data that the samples read and change. Returns the ids that the server has chosen.
 */
async function fill(origin: string): Promise<readonly (readonly [string, string])[]> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const reply = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return reply.json();
  };
  const start = (id: string, executionId: string, input: object) =>
    post(`/workflows/${id}/execute`, { input, options: { executionId } });
  await start('order', 'order-17', { customer: 'Ada', euros: 20 });
  for (const number of [18, 19, 20, 21, 22, 23, 24])
    await start('order', `order-${number}`, { customer: 'Ada', euros: 2_000 });
  await start('invoice', 'invoice-1', {});
  await start('review', 'review-1', {});
  const startBulk = async (operation: object): Promise<string> => {
    const reply = (await post('/workflows/executions/bulk', operation)) as {
      readonly data: { readonly bulkId: string };
    };
    return reply.data.bulkId;
  };
  const bulkId = await startBulk({ operation: 'cancel', filter: { ids: ['order-23'] } });
  const runningBulkId = await startBulk({ operation: 'resume', resumeData: 1, filter: { workflowId: 'review' } });
  for (const conversationId of ['harbour', 'old']) {
    await post('/api/memory/conversations', { userId: 'ada', conversationId, title: conversationId });
  }
  await post('/agents/assistant/text', { input: 'When?', options: { userId: 'ada', conversationId: 'order-16' } });
  const messages = (await (await fetch(`${origin}/api/memory/conversations/order-16/messages`)).json()) as {
    readonly data: { readonly messages: readonly { readonly id: string }[] };
  };
  // It runs until a sample suspends it.
  const running = await fetch(`${origin}/workflows/import/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: {}, options: { executionId: 'import-1' } }),
  });
  await running.body?.cancel();
  const asked = (await (await fetch(`${origin}/approvals`)).json()) as {
    readonly data: {
      readonly approvals: readonly {
        readonly id: string;
        readonly executionId: string | null;
        readonly conversationId: string | null;
      }[];
    };
  };
  const grantIds: string[] = [];
  for (const conversationId of ['refund-1', 'refund-2']) {
    await post('/agents/clerk/text', { input: 'Refund it', options: { userId: 'ada', conversationId } });
    const waiting = (await (await fetch(`${origin}/approvals`)).json()) as typeof asked;
    const { id } = waiting.data.approvals.find((one) => one.conversationId === conversationId) ?? {};
    await post('/approvals/answer', { id, conversationId, approved: true, always: { scope: 'conversation' } });
    const granted = (await (await fetch(`${origin}/approvals/grants`)).json()) as {
      readonly data: { readonly grants: readonly { readonly id: string }[] };
    };
    grantIds.push(granted.data.grants[0]?.id ?? '');
  }
  const deliveries = (await (await fetch(`${origin}/webhooks/deliveries`)).json()) as {
    readonly data: { readonly deliveries: readonly { readonly id: string }[] };
  };
  const approvalOf = (executionId: string) =>
    asked.data.approvals.find((one) => one.executionId === executionId)?.id ?? '';
  return [
    [chosenIds.suspension, approvalOf('order-18')],
    [chosenIds.approval, approvalOf('order-21')],
    [chosenIds.ownApproval, approvalOf('order-22')],
    [chosenIds.grant, grantIds[0] ?? ''],
    [chosenIds.ownGrant, grantIds[1] ?? ''],
    [chosenIds.bulk, bulkId],
    [chosenIds.runningBulk, runningBulkId],
    [chosenIds.reply, messages.data.messages.at(-1)?.id ?? ''],
    [chosenIds.delivery, deliveries.data.deliveries[0]?.id ?? ''],
  ];
}
