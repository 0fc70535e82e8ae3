import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { verifyWebhook, type WebhookRequest, WebhookRefusedError } from './verify-webhook.ts';

const [secret, other] = [7, 8].map((byte) => `whsec_${btoa(String.fromCharCode(byte).repeat(32))}`) as [string, string];
const now = 1_750_000_000_000;
const event = { type: 'approval.requested', timestamp: '2026-01-01T00:00:00.000Z', data: { userId: 'naïve ☃' } };
const body = JSON.stringify(event);

function headersFor({ at = now, by = secret, id = 'msg_1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at / 1000),
    'webhook-signature': new Webhook(by).sign(id, new Date(at), body),
  };
}

it.each<[string, WebhookRequest]>([
  ['a Request', new Request('https://example.org', { method: 'POST', headers: headersFor(), body })],
  ['Headers and text', { headers: new Headers(headersFor()), body }],
  ['headers of Node and bytes', { headers: headersFor(), body: new TextEncoder().encode(body) }],
  [
    'names in any case',
    {
      headers: Object.fromEntries(Object.entries(headersFor()).map(([name, value]) => [name.toUpperCase(), [value]])),
      body,
    },
  ],
])('verifies what the library of the specification signs: %s', async (_, request) => {
  expect(await verifyWebhook(request, secret, { now })).toEqual({ id: 'msg_1', ...event });
});

it('accepts each of several secrets and signatures', async () => {
  const signed = headersFor({ by: other });
  expect(await verifyWebhook({ headers: signed, body }, [secret, other], { now })).toMatchObject(event);
  const both = {
    ...signed,
    'webhook-signature': `v1a,x v1,?? ${headersFor()['webhook-signature']} ${signed['webhook-signature']}`,
  };
  for (const one of [secret, other])
    expect(await verifyWebhook({ headers: both, body }, one, { now })).toMatchObject(event);
});

it.each<[string, WebhookRequest]>([
  ['another body', { headers: headersFor(), body: `${body} ` }],
  ['another id', { headers: { ...headersFor(), 'webhook-id': 'msg_2' }, body }],
  ['another time', { headers: { ...headersFor(), 'webhook-timestamp': String(now / 1000 + 1) }, body }],
  ['an old time', { headers: headersFor({ at: now - 301_000 }), body }],
  ['a future time', { headers: headersFor({ at: now + 301_000 }), body }],
  ['another secret', { headers: headersFor({ by: other }), body }],
  ['no signature', { headers: { ...headersFor(), 'webhook-signature': '' }, body }],
  [
    'no version',
    { headers: { ...headersFor(), 'webhook-signature': headersFor()['webhook-signature'].slice(3) }, body },
  ],
  ['no headers', { headers: {}, body }],
])('refuses %s', async (_, request) => {
  await expect(verifyWebhook(request, secret, { now })).rejects.toBeInstanceOf(WebhookRefusedError);
});

it('names a secret that is none', async () => {
  await expect(verifyWebhook({ headers: headersFor(), body }, 'whsec_', { now })).rejects.toThrow(/whsec_/);
});
