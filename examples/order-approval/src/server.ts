import type { LanguageModel } from '@halyard/core';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { createClerk } from './clerk.ts';
import { createOrder } from './order.ts';
import { shipping } from './shipping.ts';

/** Creates the server of this example; it is not listening yet. */
export async function createOrderApproval(
  model: LanguageModel,
  options: Omit<ServerOptions, 'agents' | 'workflows'> = {},
): Promise<HalyardServer> {
  const clerk = createClerk(model);
  return createServer({
    agents: [clerk],
    workflows: [createOrder(clerk), shipping],
    enableSwaggerUI: true,
    ...options,
  });
}
