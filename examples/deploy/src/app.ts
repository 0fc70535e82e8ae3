import { createOpenAI } from '@ai-sdk/openai';
import { jwtAuth } from '@halyard/auth-jwt';
import { Agent, createMemory } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { order } from './order.ts';
import type { Settings } from './settings.ts';

/**
 * Creates the server of a replica; it is not listening yet. It closes its storage when it closes.
 */
export async function createApp(
  {
    autoMigrate,
    consoleKey,
    databaseUrl,
    jwt,
    logLevel,
    maxConnections,
    modelKey,
    secrets,
    shutdownDelayMs,
    trustProxy,
  }: Settings,
  options: Pick<ServerOptions, 'port'> = {},
): Promise<HalyardServer> {
  const storage = createPostgresStorage({ connectionString: databaseUrl, maxConnections, autoMigrate });
  const openai = createOpenAI(modelKey === undefined ? {} : { apiKey: modelKey });
  const assistant = new Agent({
    id: 'assistant',
    description: 'Answers questions of customers',
    instructions: 'You answer questions of the customers of a small shop. Be brief.',
    model: openai('gpt-5-mini'),
  });

  const server = await createServer({
    agents: [assistant],
    workflows: [order],
    storage,
    memory: createMemory({ storage }),
    auth: {
      provider: jwtAuth({
        secret: jwt.secrets,
        verifyOptions: { audience: jwt.audience, issuer: jwt.issuer, clockTolerance: 5 },
      }),
      consoleKey,
    },
    secret: secrets,
    logger: { level: logLevel },
    limits: { shutdownDelayMs },
    ...(trustProxy !== undefined && { trustProxy }),
    ...options,
  });
  server.app.addHook('onClose', () => storage.close());
  return server;
}
