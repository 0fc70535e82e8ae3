import type { LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions, type HalyardServer } from '@halyard/server-fastify';
import { createAgents } from './agents.ts';
import { serveChatPage } from './chat-page.ts';

/** The server of this example, not listening yet. */
export async function createQuickstart(
  model: LanguageModel,
  options: Omit<ServerOptions, 'agents'> = {},
): Promise<HalyardServer> {
  const server = await createServer({ agents: createAgents(model), enableSwaggerUI: true, ...options });
  await serveChatPage(server);
  return server;
}
