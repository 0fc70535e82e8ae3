import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Storage } from '@halyard/contracts';
import { createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import type { HookOptions } from '../../../runtime/hooks/hook-options.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const [secret, newSecret] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
  string,
  string,
];
const consoleKey = 'the key of the console';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Waits for the payment of an order. Only hooks start it. */
const order = createWorkflow({
  id: 'order',
  access: 'server',
  input: Type.Object({ orderId: Type.String(), cents: Type.Integer() }),
})
  .andWaitForEvent({
    id: 'paid',
    event: 'order.paid',
    key: ({ data }) => data.orderId,
    schema: Type.Object({ cents: Type.Integer() }),
  })
  .andThen({ id: 'ship', execute: ({ data }) => ({ paid: data?.cents ?? 0 }) });

interface Payload {
  readonly type: string;
  readonly orderId: string;
  readonly cents: number;
}

const shop: HookOptions = {
  secret: [secret, newSecret],
  start: ({ payload }) => {
    const { cents, orderId } = payload as Payload;
    return { workflowId: 'order', input: { orderId, cents }, options: { executionId: `order-${orderId}` } };
  },
  publish: ({ payload }) => {
    const { cents, orderId, type } = payload as Payload;
    return type === 'order.paid' ? { name: type, key: orderId, payload: { cents } } : undefined;
  },
};

async function start(hooks: Readonly<Record<string, HookOptions>>, workflows = [order]) {
  const storage = createInMemoryStorage();
  const auth = { provider: { type: 'none', verifyToken: () => null }, consoleKey };
  server = await serve([], { workflows, storage, hooks, auth });
  return storage;
}

async function send(path: string, init: RequestInit) {
  const reply = await fetch(`${server?.origin}${path}`, { method: 'POST', ...init });
  const text = await reply.text();
  return { status: reply.status, code: reply.headers.get('x-error-code'), text };
}

function signed(payload: object | string, { at = Date.now(), by = secret, id = 'msg_1' } = {}) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(by).sign(id, new Date(at), body),
  };
  return { body, headers };
}

const created = { type: 'order.created', orderId: '17', cents: 4_200 };
const paid = { ...created, type: 'order.paid' };

const execution = (storage: Storage, id: string) => storage.executions.find('anyone', id);

it('starts an execution and publishes an event, each once for all attempts of the sender', async () => {
  const storage = await start({ shop });
  const first = await send('/hooks/shop', signed(created));
  expect(JSON.parse(first.text)).toEqual({ success: true, data: { executionId: 'order-17', eventId: null } });
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => send('/hooks/shop', signed(paid, { id: 'msg_2', by: newSecret }))),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(await send('/hooks/shop', signed(created))).toEqual(first);
  await expect.poll(async () => (await execution(storage, 'order-17'))?.status, { timeout: 60_000 }).toBe('completed');
  const records = await storage.audit.list({ action: 'hook.receive', limit: 99 });
  expect(records).toHaveLength(22);
  expect(records.at(-1)).toMatchObject({
    actor: { channel: 'webhook', userId: null },
    detail: { hookId: 'shop', webhookId: 'msg_1' },
    outcome: { errorCode: null },
  });
});

it('makes the id of an execution from that of the webhook', async () => {
  await start({ shop: { ...shop, start: () => ({ workflowId: 'order', input: { orderId: '1', cents: 1 } }) } });
  const replies = [];
  for (const id of ['msg_1', 'msg_1', 'msg_2']) replies.push(await send('/hooks/shop', signed(created, { id })));
  const ids = replies.map(({ text }) => (JSON.parse(text) as { data: { executionId: string } }).data.executionId);
  expect(ids[0]).toMatch(/^order-[0-9a-f]{40}$/);
  expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
});

const { body, headers } = signed(created);
const refused = { status: 401, code: 'WEBHOOK_NOT_ACCEPTED' };

it.each<[string, RequestInit]>([
  ['without a signature', { body, headers: { 'content-type': 'application/json' } }],
  ['with a signature of another secret', signed(created, { by: `whsec_${Buffer.alloc(32).toString('base64')}` })],
  ['with another body', { body: body.replace('4200', '1'), headers }],
  ['with the same JSON in other bytes', { body: `${body} `, headers }],
  ['with another id', { body, headers: { ...headers, 'webhook-id': 'msg_2' } }],
  ['without an id', signed(created, { id: '' })],
  ['with a longer id', signed(created, { id: 'x'.repeat(257) })],
  ['from six minutes ago', signed(created, { at: Date.now() - 360_000 })],
  ['from the future', signed(created, { at: Date.now() + 360_000 })],
  [
    'with an old signature and a new time',
    {
      body,
      headers: {
        ...signed(created, { at: Date.now() - 360_000 }).headers,
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      },
    },
  ],
  ['with the empty signature', { body, headers: { ...headers, 'webhook-signature': 'v1,' } }],
  ['without a body', { headers }],
])('refuses a webhook %s, and does nothing', async (_, init) => {
  const storage = await start({ shop });
  expect(await send('/hooks/shop', init)).toMatchObject(refused);
  expect(await execution(storage, 'order-17')).toBeUndefined();
  expect(await storage.audit.list({ action: 'hook.receive', limit: 9 })).toEqual([]);
});

it('does not use the signature for one hook at another with another secret', async () => {
  await start({ shop: { ...shop, secret }, other: { ...shop, secret: newSecret } });
  expect(await send('/hooks/other', signed(created))).toMatchObject(refused);
});

it('verifies other senders by a function of the app', async () => {
  const verify: HookOptions['verify'] = ({ body: bytes, headers: sent }) => {
    const expected = createHmac('sha256', 'shhh').update(bytes).digest();
    const given = Buffer.from(String(sent['x-hub-signature-256']).replace('sha256=', ''), 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return sent['x-github-delivery'];
  };
  await start({ github: { ...shop, verify, secret: undefined } });
  const digest = createHmac('sha256', 'shhh').update(body).digest('hex');
  const github = { 'content-type': 'application/json', 'x-github-delivery': 'd-1' };
  const good = { body, headers: { ...github, 'x-hub-signature-256': `sha256=${digest}` } };
  expect(await send('/hooks/github', good)).toMatchObject({ status: 200 });
  expect(await send('/hooks/github', { ...good, body: `${body} ` })).toMatchObject(refused);
  expect(await send('/hooks/github', { body, headers: github })).toMatchObject(refused);
});

it('takes an error of `verify` for a refusal', async () => {
  const verify: HookOptions['verify'] = ({ text }) => (JSON.parse(text) as { id: string }).id;
  await start({ other: { ...shop, verify, secret: undefined } });
  expect(await send('/hooks/other', { body: '{' })).toMatchObject(refused);
});

it('passes on text that is no JSON, and refuses JSON that is malformed', async () => {
  const payloads: unknown[] = [];
  const publish: HookOptions['publish'] = ({ payload }) => void payloads.push(payload);
  await start({ any: { secret, publish } });
  const form = signed('a=1&b=2');
  form.headers['content-type'] = 'application/x-www-form-urlencoded';
  expect(await send('/hooks/any', form)).toMatchObject({ status: 200 });
  expect(payloads).toEqual(['a=1&b=2']);
  expect(await send('/hooks/any', signed('{'))).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
});

it.each(['{"__proto__":{"a":1}}', '{"\\u005f_proto__":{"a":1}}', '{"a":[{"constructor":{"prototype":{"a":1}}}]}'])(
  'refuses a key that could change the prototype of objects: %s',
  async (json) => {
    const payloads: unknown[] = [];
    await start({ any: { secret, publish: ({ payload }) => void payloads.push(payload) } });
    expect(await send('/hooks/any', signed(json))).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(payloads).toEqual([]);
  },
);

it('replies with the failures of a start, so that the sender tries again or stops', async () => {
  await start({ shop });
  const reply = await send('/hooks/shop', signed({ ...created, cents: 'many' }));
  expect(reply).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
  expect(reply.text).toContain('body/cents');
});

it('refuses unknown hooks, and bodies that are too large', async () => {
  await start({ shop });
  expect(await send('/hooks/unknown', signed(created))).toMatchObject({ status: 404, code: 'HOOK_NOT_FOUND' });
  expect(await send('/hooks/toString', signed(created))).toMatchObject({ status: 404, code: 'HOOK_NOT_FOUND' });
  const large = signed({ ...created, more: 'x'.repeat(1_100_000) });
  expect(await send('/hooks/shop', large)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
});

it.each<[string, Readonly<Record<string, HookOptions>>]>([
  ['a strange id', { '../x': shop }],
  ['no secret', { shop: { ...shop, secret: undefined } }],
  ['a weak secret', { shop: { ...shop, secret: 'shhh' } }],
  ['a secret and a function', { shop: { ...shop, verify: () => 'id' } }],
  ['nothing to do', { shop: { secret } }],
])('does not start with a hook with %s', async (_, hooks) => {
  await expect(start(hooks)).rejects.toMatchObject({ name: 'ConfigurationError' });
});

it('runs a step of a workflow that a hook has started', async () => {
  const ran: unknown[] = [];
  const echo = createWorkflow({ id: 'echo' }).andThen({ id: 'note', execute: ({ data }) => void ran.push(data) });
  await start({ any: { secret, start: ({ payload }) => ({ workflowId: 'echo', input: payload }) } }, [echo as never]);
  expect(await send('/hooks/any', signed({ a: 1 }))).toMatchObject({ status: 200 });
  await expect.poll(() => ran, { timeout: 60_000 }).toEqual([{ a: 1 }]);
});
