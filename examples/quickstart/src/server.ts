import type { Storage } from '@halyard/contracts';
import { createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions, type HalyardServer } from '@halyard/server-fastify';
import { createAgents } from './agents.ts';
import { serveChatPage } from './chat-page.ts';

/** Creates the server of this example; it is not listening yet. The caller closes the storage. */
export async function createQuickstart(
  model: LanguageModel,
  storage: Storage,
  options: Omit<ServerOptions, 'agents' | 'memory' | 'storage'> = {},
): Promise<HalyardServer> {
  // The demo model cannot generate titles.
  const memory = createMemory({ storage, titles: model.provider !== 'halyard-demo' });
  const agents = createAgents(model, storage.workingMemory);
  const server = await createServer({ agents, memory, storage, enableSwaggerUI: true, ...options });
  await serveChatPage(server);
  return server;
}
