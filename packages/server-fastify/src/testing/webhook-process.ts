import { createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '../create-server.ts';

/**
 * A process with a server that sends webhooks. The arguments are the connection string, the address
 * of the receiver, the time by which its clock is ahead, and how many executions it starts.
 */
const [connectionString = '', url = '', shiftMs = '0', count = '0'] = process.argv.slice(2);
const server = await createServer({
  workflows: [createWorkflow({ id: 'order', input: {} }).andThen({ id: 'ship', execute: () => ({ shipped: true }) })],
  storage: createPostgresStorage({ connectionString, maxConnections: 4, clockShiftMs: () => Number(shiftMs) }),
  webhooks: [{ url, secret: process.env['WEBHOOK_SECRET'] ?? '', allowPrivateAddresses: true }],
  logger: 'error',
  port: 0,
});
await server.listen();
const ids = Array.from({ length: Number(count) }, (_, index) => `order-${index}`);
// An earlier process may have started some.
await Promise.allSettled(ids.map((executionId) => server.runtime.begin('order', {}, { executionId })));
