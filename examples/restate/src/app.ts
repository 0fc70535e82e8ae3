import type { ExecutionEngine, Storage } from '@halyard/contracts';
import { Agent, createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { createOrder } from './order.ts';

interface AppOptions {
  readonly model: LanguageModel;
  /** Stores conversations, and the lists of the executions. */
  readonly storage: Storage;
  /** Stores the executions and decides which process runs them. */
  readonly engine: ExecutionEngine;
  readonly port: number;
}

/** An agent with durable chats and a workflow, whose executions are on an engine. */
export async function createApp({ engine, model, port, storage }: AppOptions): Promise<HalyardServer> {
  const clerk = new Agent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'You work in a small shop. Be friendly and brief.',
    model,
    durable: true,
  });
  const server = await createServer({
    agents: [clerk],
    workflows: [createOrder(clerk)],
    memory: createMemory({ storage }),
    storage,
    engine,
    port,
  });
  server.app.addHook('onClose', () => storage.close());
  return server;
}
