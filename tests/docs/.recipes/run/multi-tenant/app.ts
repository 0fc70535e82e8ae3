import { createOpenAI } from '@ai-sdk/openai';
import { jwtAuth } from '@halyard/auth-jwt';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

/** Stands for a table with the settings of each tenant. */
const tenants = new Map([
  ['acme', { apiKey: process.env['ACME_OPENAI_KEY'] ?? '', orders: ['A-1', 'A-2'] }],
  ['globex', { apiKey: process.env['GLOBEX_OPENAI_KEY'] ?? '', orders: ['G-1'] }],
]);
const tenantOf = (user?: { readonly [field: string]: unknown }) => {
  const tenant = tenants.get(String(user?.['tenant']));
  if (tenant === undefined) throw new TypeError('The user has no tenant');
  return tenant;
};

const listOrders = createTool({
  name: 'listOrders',
  description: 'The orders of the company',
  input: Type.Object({}),
  execute: (_, { user }) => tenantOf(user).orders,
});
const support = new Agent({
  id: 'support',
  model: ({ user }) => createOpenAI({ apiKey: tenantOf(user).apiKey })('gpt-5-mini'),
  tools: [listOrders],
});
const exportOrders = createWorkflow({
  id: 'export-orders',
  // Two exports of a company run at a time, on all servers together. Further ones wait.
  concurrency: { limit: 2, key: ({ userId }) => userId?.split('/')[0] ?? 'nobody' },
}).andThen({ id: 'export', execute: ({ user }) => tenantOf(user).orders.join('\n') });

const storage = createPostgresStorage({ dataDir: '.halyard' });
const server = await createServer({
  agents: [support],
  workflows: [exportOrders],
  memory: createMemory({ storage }),
  storage,
  auth: {
    provider: jwtAuth({
      verifyOptions: { audience: 'https://api.example.com', issuer: 'https://id.example.com/' },
      // Two companies may both have a user "ada": the id contains the company.
      mapUser: ({ sub, tenant }) =>
        typeof tenant === 'string' && sub !== undefined && tenants.has(tenant)
          ? { id: `${tenant}/${sub}`, tenant }
          : null,
    }),
  },
  rateLimit: { max: 120 },
});
await server.listen();
