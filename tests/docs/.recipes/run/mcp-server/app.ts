import { openai } from '@ai-sdk/openai';
import { customAuth } from '@halyard/auth-custom';
import { Agent, createTool, createWorkflow } from '@halyard/core';
import { mcpServer } from '@halyard/mcp';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const stock = new Map([['lamp', 12]]);

const checkStock = createTool({
  name: 'checkStock',
  description: 'How many of an article are in stock',
  input: Type.Object({ article: Type.String() }),
  execute: ({ article }) => ({ article, inStock: stock.get(article) ?? 0 }),
});
const adviser = new Agent({
  id: 'adviser',
  description: 'Recommends articles of the shop',
  model: openai('gpt-5-mini'),
  tools: [checkStock],
});
const order = createWorkflow({
  id: 'order',
  purpose: 'Orders an article',
  input: Type.Object({ article: Type.String(), count: Type.Integer({ minimum: 1 }) }),
}).andThen({
  id: 'place',
  execute: ({ data, state }) => ({ ordered: data.article, count: data.count, by: state.userId }),
});

const shop = mcpServer({
  id: 'shop',
  version: '1.0.0',
  agents: [adviser],
  tools: [checkStock],
  workflows: [order],
});
const tokens = new Map([[process.env['MCP_TOKEN'] ?? 'token-of-ada', { id: 'ada' }]]);
const server = await createServer({
  agents: [adviser],
  workflows: [order],
  mcpServers: [shop],
  auth: { provider: customAuth({ type: 'token', verifyToken: (token) => tokens.get(token) ?? null }) },
});
await server.listen();
