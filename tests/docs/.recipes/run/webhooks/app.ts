import { createHmac, timingSafeEqual } from 'node:crypto';
import { createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const secret = process.env['WEBHOOK_SECRET'] ?? '';
if (secret === '') throw new TypeError('Set WEBHOOK_SECRET');

const order = createWorkflow({
  id: 'order',
  input: Type.Object({ orderId: Type.String(), cents: Type.Integer() }),
})
  .andWaitForEvent({
    id: 'paid',
    event: 'order.paid',
    key: ({ data }) => data.orderId,
    schema: Type.Object({ cents: Type.Integer() }),
    timeoutMs: 14 * 24 * 3_600_000,
  })
  .andThen({
    id: 'ship',
    execute: ({ abort, data, input }) => {
      if (data === null) return abort('Not paid within 14 days');
      return { shipped: input.orderId, paid: data.cents };
    },
  });

const server = await createServer({ workflows: [order], storage: createPostgresStorage({ dataDir: '.halyard' }) });

type Webhook = { readonly id: string; readonly orderId: string; readonly cents: number } & {
  readonly type: 'order.created' | 'order.paid';
};

async function handle({ cents, id, orderId, type }: Webhook): Promise<void> {
  // Whichever comes first starts the order: an execution receives no event that is older than itself.
  await server.runtime
    .begin('order', { orderId, cents }, { executionId: `order-${orderId}` })
    .catch((error: { code?: string }) => {
      if (error.code !== 'EXECUTION_EXISTS') throw error;
    });
  if (type === 'order.paid')
    await server.runtime.publish({ name: type, key: orderId, payload: { cents }, requestId: id });
}

await server.app.register(async (webhooks) => {
  // The signature is about the bytes of the body, so that they are parsed only after it was checked.
  webhooks.removeContentTypeParser('application/json');
  webhooks.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  webhooks.post<{ Body: string }>('/webhooks/shop', async (request, reply) => {
    const expected = createHmac('sha256', secret).update(request.body).digest();
    const received = Buffer.from(String(request.headers['x-signature']), 'hex');
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return reply.code(401).send();
    await handle(JSON.parse(request.body) as Webhook);
    return reply.code(204).send();
  });
});
await server.listen();
