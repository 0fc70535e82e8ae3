import { customAuth } from '@halyard/auth-custom';
import { Agent, createMemory, createTool, type LanguageModel } from '@halyard/core';
import { halyard } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { orders } from './orders.ts';
import type { Sessions } from './sessions.ts';

/** Adds Halyard to an app, below `/ai`, for the users that the app has signed in. */
export async function registerAgents(app: FastifyInstance, model: LanguageModel, sessions: Sessions): Promise<void> {
  const listOrders = createTool({
    name: 'listOrders',
    description: 'List the orders of the customer with their status',
    input: Type.Object({}),
    // The user is the one that the provider below has returned, whatever the model or the request
    // says.
    execute: (_input, { user }) => orders.filter(({ customerId }) => customerId === user?.id),
  });
  const clerk = new Agent({ id: 'clerk', instructions: 'You are the clerk of a shop.', model, tools: [listOrders] });

  // A scope of its own: the hook does not concern the other routes of the app.
  await app.register(async (scope) => {
    // Halyard reads bearer tokens, and browsers send the cookie of the app. Programs may send the
    // session as a token.
    scope.addHook('onRequest', async (request) => {
      const session = request.cookies['session'];
      // Halyard takes what has a token for a program, so pages of other origins are kept out here.
      // A subdomain is the same site for cookies.
      if (session !== undefined && isFromOwnPage(request)) request.headers.authorization = `Bearer ${session}`;
    });
    await scope.register(halyard, {
      prefix: '/ai',
      agents: [clerk],
      memory: createMemory(),
      auth: {
        provider: customAuth({
          type: 'sessions of the shop',
          verifyToken: (token) => {
            const customer = sessions.find(token);
            return customer === undefined ? null : { id: customer.id, role: customer.role };
          },
        }),
      },
    });
  });
}

/**
 * Not from a page of another origin. Browsers set this header themselves; other programs do not
 * send it.
 */
function isFromOwnPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
