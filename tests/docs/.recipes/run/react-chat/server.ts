import { openai } from '@ai-sdk/openai';
import { Agent, createMemory, createTool } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const refund = createTool({
  name: 'refund',
  description: 'Pays an order back',
  input: Type.Object({ orderId: Type.String() }),
  needsApproval: true,
  execute: ({ orderId }) => ({ orderId, refunded: true }),
});
const assistant = new Agent({ id: 'assistant', model: openai('gpt-5-mini'), tools: [refund], resumable: true });

const storage = createPostgresStorage({ dataDir: '.halyard' });
const server = await createServer({ agents: [assistant], memory: createMemory({ storage }), storage });
export type App = typeof server;
await server.listen();
