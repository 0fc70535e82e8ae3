import { createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions, verifiedUser } from '@halyard/server-fastify';
import { createSupport } from './agents.ts';
import { findOrder } from './orders.ts';

interface AppOptions extends Pick<ServerOptions, 'auth' | 'logger'> {
  readonly model: LanguageModel;
  readonly storage: NonNullable<ServerOptions['storage']>;
}

/** Creates the server; it is not listening yet. The tests pass their own model and storage. */
export async function createApp({ model, storage, ...options }: AppOptions) {
  const server = await createServer({
    agents: [createSupport(model)],
    memory: createMemory({ storage }),
    storage,
    ...options,
  });
  // `server.app` is a Fastify instance: your own routes and plugins.
  server.app.get<{ Params: { id: string } }>('/orders/:id', (request, reply) => {
    const user = verifiedUser(request);
    const userId = user && (user.id ?? user.sub ?? '');
    return findOrder(request.params.id, userId) ?? reply.code(404).send({ error: 'There is no such order' });
  });
  return server;
}
