import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemory } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import { payingAgents, payingWorkflows } from '../../../testing/approvals.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { workflows } from '../../../testing/workflows.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const consoleKey = 'the key of the console';
const key = { 'x-console-access-key': consoleKey };
const provider = { type: 'names', verifyToken: (id: string) => ({ id }) };

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing = [];
});

interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** A server with an endpoint for all events. */
async function start(status = () => 204) {
  const received: Event[] = [];
  const receiver = createHttpServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(parts).toString()) as Event);
      response.writeHead(status()).end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const storage = createInMemoryStorage();
  const server = await serve([], {
    agents: payingAgents,
    workflows: [...workflows, ...payingWorkflows],
    storage,
    memory: createMemory({ storage }),
    auth: { provider, consoleKey },
    webhooks: [{ url, secret, allowPrivateAddresses: true }],
  });
  closing = [() => receiver.close(), () => server.close()];
  return { received, server, url };
}

async function call<Data>({ origin }: Served, path: string, init: RequestInit = {}) {
  const reply = await fetch(`${origin}${path}`, init);
  const { data } = (await reply.json()) as { data: Data };
  return { status: reply.status, code: reply.headers.get('x-error-code'), data };
}

interface Page {
  readonly endpoints: readonly { readonly url: string; readonly disabledAt: string | null }[];
  readonly deliveries: readonly { readonly id: string; readonly type: string; readonly status: string }[];
  readonly nextCursor: number | null;
}

const as = (name: string, body: object) => {
  const init = json(body);
  return { ...init, headers: { ...init.headers, authorization: `Bearer ${name}` } };
};
const list = async (server: Served, query = '') =>
  (await call<Page>(server, `/webhooks/deliveries${query}`, { headers: key })).data;

it('refuses a cursor that no page has', async () => {
  const { server } = await start();
  expect((await call(server, '/webhooks/deliveries?before=1e20', { headers: key })).status).toBe(400);
});

it('sends what happens to an execution, and lists it', async () => {
  const { received, server, url } = await start();
  await call(
    server,
    '/workflows/approval/execute',
    as('ada', { input: { total: 1 }, options: { executionId: 'run' } }),
  );
  await expect.poll(() => received.length, { timeout: 60_000 }).toBe(2);
  const ids = { executionId: 'run', workflowId: 'approval', userId: 'ada' };
  expect(Object.fromEntries(received.map(({ data, type }) => [type, data]))).toEqual({
    'approval.requested': { ...ids, approvalId: expect.any(String) },
    'execution.suspended': ids,
  });
  await expect
    .poll(async () => (await list(server)).deliveries.map(({ status }) => status), { timeout: 60_000 })
    .toEqual(['delivered', 'delivered']);
  const first = await list(server, '?limit=1');
  expect(first).toMatchObject({
    endpoints: [{ url, disabledAt: null }],
    deliveries: [{ attempts: 1, replyStatus: 204 }],
  });
  const second = await list(server, `?limit=1&before=${first.nextCursor}`);
  expect([second.deliveries.length, second.nextCursor]).toEqual([1, null]);
  expect(second.deliveries[0]?.id).not.toBe(first.deliveries[0]?.id);
  expect((await list(server, '?status=failed')).deliveries).toEqual([]);
});

it('names a request by the id with which operators answer it', async () => {
  const { received, server } = await start();
  await call(
    server,
    '/workflows/shop/execute',
    as('ada', { input: { say: 'pay 5' }, options: { executionId: 'buy' } }),
  );
  await expect.poll(() => received.length, { timeout: 60_000 }).toBe(2);
  const { data } = received.find(({ type }) => type === 'approval.requested') ?? expect.fail('no request');
  const inbox = await call<{ approvals: { id: string }[] }>(server, '/approvals', { headers: key });
  expect(inbox.data.approvals.map(({ id }) => id)).toEqual([data['approvalId']]);
});

it('redelivers, also to an endpoint that was gone', async () => {
  let status = 410;
  const { received, server } = await start(() => status);
  await call(server, '/workflows/sum/execute', as('ada', { input: { a: 1, b: 2 } }));
  await expect.poll(async () => (await list(server)).endpoints[0]?.disabledAt, { timeout: 60_000 }).not.toBeNull();
  const [failed] = (await list(server, '?status=failed')).deliveries;
  status = 200;
  const path = `/webhooks/deliveries/${failed?.id}/redeliver`;
  expect(await call(server, path, { method: 'POST', headers: key })).toMatchObject({ data: { redelivered: true } });
  await expect
    .poll(async () => (await list(server)).deliveries, { timeout: 60_000 })
    .toMatchObject([{ id: failed?.id, status: 'delivered', attempts: 2 }]);
  expect((await list(server)).endpoints).toMatchObject([{ disabledAt: null }]);
  expect(received.map(({ type }) => type)).toEqual(['execution.completed', 'execution.completed']);
});

it('is for operators only', async () => {
  const { server } = await start();
  const headers = { authorization: 'Bearer ada' };
  expect(await call(server, '/webhooks/deliveries', { headers })).toMatchObject({ status: 401 });
  const unknown = '/webhooks/deliveries/msg_1/redeliver';
  expect(await call(server, unknown, { method: 'POST', headers })).toMatchObject({ status: 401 });
  const reply = await call(server, unknown, { method: 'POST', headers: key });
  expect(reply).toMatchObject({ status: 404, code: 'WEBHOOK_NOT_FOUND' });
});

it('does not start without a place for events', async () => {
  const { webhooks: _, ...storage } = createInMemoryStorage();
  const options = { storage, webhooks: [{ url: 'https://example.org', secret }] };
  await expect(serve([], options)).rejects.toMatchObject({ name: 'ConfigurationError' });
});
