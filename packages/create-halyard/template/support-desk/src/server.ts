import { createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { createSupport } from './agents.ts';
import { refund } from './refund.ts';

interface AppOptions extends Pick<ServerOptions, 'auth' | 'logger'> {
  readonly model: LanguageModel;
  readonly storage: NonNullable<ServerOptions['storage']>;
}

/** Creates the server; it is not listening yet. The tests pass their own model and storage. */
export async function createApp({ model, storage, ...options }: AppOptions): Promise<HalyardServer> {
  const server: HalyardServer = await createServer({
    agents: [createSupport(model, (orderId, userId) => server.runtime.begin('refund', { orderId }, { userId }))],
    workflows: [refund],
    memory: createMemory({ storage }),
    storage,
    ...options,
  });
  return server;
}
