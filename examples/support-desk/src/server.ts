import { isHalyardError, type Storage } from '@halyard/contracts';
import type { LanguageModel, Memory } from '@halyard/core';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { approvalExpiryMs, createDesk } from './desk.ts';
import { prices } from './prices.ts';
import { demoShop } from './shop.ts';

export interface SupportDeskOptions extends Omit<ServerOptions, 'agents' | 'memory' | 'storage' | 'workflows'> {
  readonly model: LanguageModel;
  readonly memory: Memory;
  readonly storage: Storage;
}

/** Creates the server of this example; it is not listening yet. The caller closes the storage. */
export async function createSupportDesk({
  memory,
  model,
  storage,
  ...options
}: SupportDeskOptions): Promise<HalyardServer> {
  const { agents, workflows } = createDesk({
    storage,
    shop: demoShop,
    modelOf: () => model,
    startRefund: async (request, userId) => {
      // The id names the order, so that it is refunded once.
      const executionId = `refund-${request.orderId}`;
      try {
        return await server.runtime.begin('refund', request, { userId, executionId });
      } catch (error) {
        if (isHalyardError(error) && error.code === 'EXECUTION_EXISTS') return executionId;
        throw error;
      }
    },
  });
  const server = await createServer({
    agents: Object.values(agents),
    workflows,
    memory,
    storage,
    approvalExpiryMs,
    telemetry: { prices },
    // The history begins 14 days before the first start, and should not be shorter a day later.
    retention: { telemetryDays: 30 },
    enableSwaggerUI: true,
    ...options,
  });
  return server;
}
