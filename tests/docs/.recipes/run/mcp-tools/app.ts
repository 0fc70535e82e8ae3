import { openai } from '@ai-sdk/openai';
import { Agent, createMemory } from '@halyard/core';
import { mcpClient, mcpTools } from '@halyard/mcp';
import { createServer } from '@halyard/server-fastify';

const shop = mcpClient({
  id: 'shop',
  url: process.env['MCP_URL'] ?? 'http://localhost:3141/mcp/shop',
  headers: { authorization: `Bearer ${process.env['MCP_TOKEN'] ?? 'token-of-ada'}` },
});

const changes = new Set(['run_order']);
const tools = [
  ...(await mcpTools(shop, { prefix: 'shop_', filter: ({ name }) => name === 'checkStock' })),
  ...(await mcpTools(shop, { prefix: 'shop_', filter: ({ name }) => changes.has(name), needsApproval: true })),
];

const buyer = new Agent({ id: 'buyer', model: openai('gpt-5-mini'), tools });
const server = await createServer({ agents: [buyer], memory: createMemory(), mcpServers: [shop], port: 4000 });
await server.listen();
