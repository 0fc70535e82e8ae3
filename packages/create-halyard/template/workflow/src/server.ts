import type { LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions } from '@halyard/server-fastify';
import { createWriter } from './agents.ts';
import { createOrder } from './order.ts';

interface AppOptions extends Pick<ServerOptions, 'auth' | 'logger'> {
  readonly model: LanguageModel;
  readonly storage: NonNullable<ServerOptions['storage']>;
}

/** Creates the server; it is not listening yet. The tests pass their own model and storage. */
export function createApp({ model, storage, ...options }: AppOptions) {
  const writer = createWriter(model);
  return createServer({
    agents: [writer],
    workflows: [createOrder(writer)],
    storage,
    ...options,
  });
}
