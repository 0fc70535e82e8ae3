import cookie from '@fastify/cookie';
import type { LanguageModel } from '@halyard/core';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { orders } from './orders.ts';
import { registerAgents } from './register-agents.ts';
import { type Customer, Sessions } from './sessions.ts';

const customers: readonly Customer[] = [
  { id: 'ada', name: 'Ada', role: 'customer' },
  { id: 'grace', name: 'Grace', role: 'staff' },
];

/** A shop with its own sign-in, sessions in cookies and routes. One line adds the agents. */
export async function createShop(
  model: LanguageModel,
  options: { readonly logger?: boolean } = {},
): Promise<FastifyInstance> {
  const app = Fastify({ logger: options.logger ?? false });
  const sessions = new Sessions();
  await app.register(cookie);

  const customerOf = (request: FastifyRequest): Customer | undefined => sessions.find(request.cookies['session'] ?? '');

  // In place of your own check of a password.
  app.post<{ Params: { id: string } }>('/sign-in/:id', async ({ params }, reply) => {
    const customer = customers.find(({ id }) => id === params.id);
    if (customer === undefined) return reply.code(404).send({ error: 'No such customer' });
    // Strict: pages of other sites cannot make a browser send it.
    const attributes = { path: '/', httpOnly: true, sameSite: 'strict', secure: 'auto' } as const;
    reply.setCookie('session', sessions.open(customer), attributes);
    return { name: customer.name };
  });
  app.post('/sign-out', async (request, reply) => {
    sessions.end(request.cookies['session'] ?? '');
    reply.clearCookie('session', { path: '/' });
    return {};
  });
  app.get('/orders', async (request, reply) => {
    const customer = customerOf(request);
    if (customer === undefined) return reply.code(401).send({ error: 'Sign in first' });
    return orders.filter(({ customerId }) => customerId === customer.id);
  });

  await registerAgents(app, model, sessions);
  return app;
}
