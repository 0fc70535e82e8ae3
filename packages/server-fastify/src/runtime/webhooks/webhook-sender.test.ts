import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger, WebhookDelivery, WebhookStore } from '@halyard/contracts';
import { fixedClock, silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { retryInMs } from './retry-schedule.ts';
import { acceptWebhooks, type WebhookOptions } from './webhook-options.ts';
import { WebhookSender } from './webhook-sender.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const hour = 3_600_000;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Replies of a receiver: the last one again and again. `hang`: none. */
type ReceiverReply = readonly [status: number, headers?: Record<string, string>] | 'hang';

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing = [];
});

async function receiver(...replies: readonly ReceiverReply[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const reply = replies[received.length] ?? replies.at(-1) ?? [204];
      received.push({ headers: request.headers, body });
      if (reply !== 'hang') response.writeHead(...reply).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function sending(webhook: Omit<WebhookOptions, 'secret'>, lookup?: () => Promise<{ address: string }[]>) {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const store = storage.webhooks ?? expect.fail('no webhooks');
  const logger = { ...silentLogger, warn: vi.fn<Logger['warn']>() };
  const services = { store, clock, logger, random: () => 0, pollMs: 1, ...(lookup && { lookup }) };
  const sender = new WebhookSender(acceptWebhooks([{ secret, ...webhook }]), services);
  await sender.start();
  closing.push(() => sender.stop(hour));
  let opened = 0;
  const happen = async (): Promise<void> => {
    opened += 1;
    await storage.approvals.open({
      id: `approval-${opened}`,
      agentId: 'clerk',
      conversationId: 'c',
      userId: 'ada',
      user: { id: 'ada', email: 'ada@example.org' },
      rules: { approvers: ['role:manager'], tenantId: null },
      createdAt: clock.now(),
      expiresAt: clock.now() + hour,
    });
  };
  return { clock, happen, logger, sender, store };
}

/** The newest delivery, once it matches. */
async function delivery(store: WebhookStore, expected: Partial<WebhookDelivery>): Promise<WebhookDelivery> {
  return vi.waitFor(
    async () => {
      const [newest] = await store.list({ limit: 1 });
      expect(newest).toMatchObject(expected);
      return newest ?? expect.fail('no delivery');
    },
    { timeout: 60_000, interval: 1 },
  );
}

it('sends ids, signed, and no content of users', async () => {
  const { received, url } = await receiver([200]);
  const { clock, happen, store } = await sending({ url, allowPrivateAddresses: true });
  await happen();
  const { id } = await delivery(store, { status: 'delivered', attempts: 1, replyStatus: 200 });
  const [{ body, headers } = expect.fail('nothing')] = received;
  const data = { agentId: 'clerk', approvalId: 'approval-1', conversationId: 'c', userId: 'ada' };
  const timestamp = new Date(clock.now()).toISOString();
  expect(JSON.parse(body)).toEqual({ type: 'approval.requested', timestamp, data });
  expect(headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
  const signature = new Webhook(secret).sign(id, new Date(clock.now()), body);
  expect(headers['webhook-signature']).toBe(signature);
});

it('sends with the same id again, later and later, with new signatures', async () => {
  const { received, url } = await receiver([500], [302, { location: 'http://127.0.0.1:1' }], [204]);
  const { clock, happen, store } = await sending({ url, allowPrivateAddresses: true });
  await happen();
  const first = await delivery(store, { status: 'pending', replyStatus: 500, error: 'Status 500' });
  expect(first.dueAt).toBe(clock.now() + 5_000);
  clock.advance(5_000);
  const second = await delivery(store, { status: 'pending', replyStatus: 302, attempts: 2 });
  expect(second.dueAt).toBe(clock.now() + 300_000);
  clock.advance(300_000);
  await delivery(store, { id: first.id, status: 'delivered', attempts: 3, error: null });
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([first.id, first.id, first.id]);
  expect(new Set(received.map(({ headers }) => headers['webhook-signature'])).size).toBe(3);
});

it('waits as long as the receiver asks', async () => {
  const { url } = await receiver([503, { 'retry-after': '3600' }]);
  const { clock, happen, store } = await sending({ url, allowPrivateAddresses: true });
  await happen();
  expect((await delivery(store, { status: 'pending', attempts: 1, replyStatus: 503 })).dueAt).toBe(clock.now() + hour);
});

it('gives up after ten attempts, and starts again when it is redelivered', async () => {
  const { url } = await receiver(...Array.from({ length: 10 }, () => [500] as const), [200]);
  const { clock, happen, logger, store } = await sending({ url, allowPrivateAddresses: true });
  await happen();
  for (let attempts = 1; attempts < 10; attempts += 1) {
    // Not the end of the lease: the reply was recorded.
    const dueAt = clock.now() + (retryInMs(attempts, 0) ?? 0);
    await delivery(store, { status: 'pending', attempts, dueAt });
    clock.advance(24 * hour);
  }
  const { id } = await delivery(store, { status: 'failed', attempts: 10, dueAt: null });
  await vi.waitFor(() => expect(logger.warn).toHaveBeenCalledOnce());
  await store.redeliver(id);
  await delivery(store, { id, status: 'delivered', attempts: 11 });
});

it('disables an endpoint that is gone', async () => {
  const { received, url } = await receiver([410]);
  const { happen, store } = await sending({ url, allowPrivateAddresses: true });
  await happen();
  await delivery(store, { status: 'failed', attempts: 1, replyStatus: 410 });
  await vi.waitFor(async () => expect((await store.endpoints())[0]?.disabledAt).not.toBeNull());
  await happen();
  expect(await store.list({ limit: 9 })).toHaveLength(1);
  expect(received).toHaveLength(1);
});

it('delays no endpoint because another one does not reply', async () => {
  const [slow, fast] = [await receiver('hang'), await receiver([200])];
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const store = storage.webhooks ?? expect.fail('no webhooks');
  const endpoints = [slow, fast].map(({ url }) => ({ url, secret, allowPrivateAddresses: true }));
  const sender = new WebhookSender(acceptWebhooks(endpoints), { store, clock, logger: silentLogger, pollMs: 1 });
  await sender.start();
  const at = { createdAt: clock.now(), expiresAt: clock.now() + hour };
  const rules = { approvers: ['bob'], tenantId: null };
  const request = { agentId: 'clerk', conversationId: 'c', userId: undefined, user: undefined, rules, ...at };
  for (const id of ['a', 'b']) await storage.approvals.open({ id, ...request });
  await vi.waitFor(() => expect([slow.received.length, fast.received.length]).toEqual([2, 2]), { timeout: 60_000 });
  // Requests without a reply are left to another server.
  await sender.stop(0);
  expect(await store.list({ url: slow.url, limit: 9 })).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
});

it.each([['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['::1']])(
  'sends nothing to a name that resolves to %s',
  async (address) => {
    const { happen, store } = await sending({ url: 'https://hooks.example.org' }, async () => [{ address }]);
    await happen();
    expect(await delivery(store, { attempts: 1, error: 'Its address is not public' })).toMatchObject({
      replyStatus: null,
    });
  },
);

it('names the failure of a connection', async () => {
  const { happen, store } = await sending({ url: 'http://127.0.0.1:1', allowPrivateAddresses: true });
  await happen();
  expect(await delivery(store, { attempts: 1, error: 'ECONNREFUSED' })).toMatchObject({ replyStatus: null });
});

it('goes on after the storage has failed', async () => {
  const { received, url } = await receiver([200]);
  const { happen, store } = await sending({ url, allowPrivateAddresses: true });
  const take = vi.spyOn(store, 'take').mockRejectedValueOnce(new RangeError('The database is gone'));
  await happen();
  await delivery(store, { status: 'delivered' });
  expect(received).toHaveLength(1);
  take.mockRestore();
});

it.each<[string, Partial<WebhookOptions>]>([
  ['http', { url: 'http://example.org' }],
  ['a user name', { url: 'https://ada@example.org' }],
  ['another protocol', { url: 'file:///etc/passwd', allowPrivateAddresses: true }],
  ['no address', { url: 'example.org' }],
  ['a short secret', { secret: 'whsec_c2hvcnQ=' }],
  ['no secret', { secret: [] }],
  ['an unknown event', { events: ['order.paid' as 'approval.requested'] }],
  ['no events', { events: [] }],
])('refuses an endpoint with %s', (_, change) => {
  expect(() => acceptWebhooks([{ url: 'https://example.org', secret, ...change }])).toThrow(/webhook/);
});

it('refuses an endpoint twice', () => {
  const endpoint = { url: 'https://example.org', secret };
  expect(() => acceptWebhooks([endpoint, { ...endpoint, url: 'https://EXAMPLE.org/' }])).toThrow(/twice/);
});
