import { createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions } from '@halyard/server-fastify';
import { createSupport } from './agents.ts';

interface AppOptions extends Pick<ServerOptions, 'auth' | 'logger'> {
  readonly model: LanguageModel;
  readonly storage: NonNullable<ServerOptions['storage']>;
}

/** Creates the server; it is not listening yet. The tests pass their own model and storage. */
export function createApp({ model, storage, ...options }: AppOptions) {
  return createServer({
    agents: [createSupport(model)],
    memory: createMemory({ storage }),
    storage,
    ...options,
  });
}
