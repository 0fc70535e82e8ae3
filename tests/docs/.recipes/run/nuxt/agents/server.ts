import { openai } from '@ai-sdk/openai';
import { Agent, createMemory } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';

const assistant = new Agent({ id: 'assistant', instructions: 'Be brief and kind.', model: openai('gpt-5-mini') });

const server = await createServer({ agents: [assistant], memory: createMemory() });
export type App = typeof server;
await server.listen();
