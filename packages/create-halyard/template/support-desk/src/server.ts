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
    agents: [createSupport(model, startRefund)],
    workflows: [refund],
    memory: createMemory({ storage }),
    storage,
    ...options,
  });
  /** Once for each order, because its id names the order. */
  async function startRefund(orderId: string, userId: string | undefined): Promise<string> {
    const executionId = `refund-${orderId.toUpperCase()}`;
    try {
      return await server.runtime.begin('refund', { orderId }, { userId, executionId });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EXECUTION_EXISTS') return executionId;
      throw error;
    }
  }

  return server;
}
