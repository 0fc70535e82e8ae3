import type { Storage } from '@halyard/contracts';
import { Agent, createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions } from '@halyard/server-fastify';
import { bookBerth, listBerths, tideTimes } from './tools.ts';

type HarbourOptions = Omit<ServerOptions, 'agents' | 'memory' | 'prefix' | 'storage' | 'tools' | 'workflows'>;

/**
 * The server of the chat, with all routes below `/halyard`. It is not listening yet. The caller
 * closes the storage.
 */
export function createHarbour(model: LanguageModel, storage: Storage, options: HarbourOptions = {}) {
  const harbour = new Agent({
    id: 'harbour',
    name: 'Harbour desk',
    description: 'Knows tides and berths, and books them',
    instructions: 'You are the desk of a harbour. Use your tools, and be brief and kind.',
    model,
    tools: [tideTimes, listBerths, bookBerth],
  });
  const memory = createMemory({ storage, titles: true });
  return createServer({ ...options, agents: [harbour], memory, storage, prefix: '/halyard' });
}

/** The page's view of the server: the ids of agents, and the types of tools. */
export type Harbour = Awaited<ReturnType<typeof createHarbour>>;
