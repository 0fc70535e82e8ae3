import { openai } from '@ai-sdk/openai';
import { Agent, createMemory } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';

const assistant = new Agent({ id: 'assistant', model: openai('gpt-5-mini'), resumable: true });

const storage = createPostgresStorage({ dataDir: '.halyard' });
const server = await createServer({ agents: [assistant], memory: createMemory({ storage }), storage });
export type App = typeof server;
await server.listen();
