import { openai } from '@ai-sdk/openai';
import { customAuth } from '@halyard/auth-custom';
import { Agent, createMemory, createTool } from '@halyard/core';
import { halyard } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';

// What your app has already: sessions, orders and a route.
const sessions = new Map([['session-of-ada', { id: 'ada' }]]);
const orders = [{ id: '17', owner: 'ada', status: 'shipped' }];

const app = Fastify({ logger: true });
app.get<{ Params: { id: string } }>('/orders/:id', (request, reply) => {
  const user = sessions.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
  if (user === undefined) return reply.code(401).send({ error: 'Sign in first' });
  const order = orders.find(({ id, owner }) => id === request.params.id && owner === user.id);
  return order ?? reply.code(404).send({ error: 'You have no such order' });
});

// What you add.
const listOrders = createTool({
  name: 'listOrders',
  description: 'The orders of the user',
  input: Type.Object({}),
  execute: (_, { userId }) => orders.filter(({ owner }) => owner === userId),
});
const support = new Agent({ id: 'support', model: openai('gpt-5-mini'), tools: [listOrders] });

await app.register(halyard, {
  prefix: '/ai',
  agents: [support],
  memory: createMemory(),
  auth: { provider: customAuth({ type: 'session', verifyToken: (token) => sessions.get(token) ?? null }) },
});

// Your own code can call the agent, too.
app.post('/contact', async () => {
  const { text } = await support.generateText('Write one sentence that thanks for a message.');
  return { text };
});

await app.listen({ port: 3000 });
