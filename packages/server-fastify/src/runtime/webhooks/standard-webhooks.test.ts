import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { isSignedWebhook, readWebhookSecret, signWebhook, type SignedWebhook } from './standard-webhooks.ts';

const [first, second] = [1, 2].map((byte) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`) as [string, string];
const keyOf = (secret: string): Buffer => readWebhookSecret(secret) ?? expect.fail('no key');
const [one, other] = [keyOf(first), keyOf(second)];
const body = '{"type":"approval.requested","text":"naïve ☃"}';

it.each([first, second])('signs as the library of the specification verifies: %s', (secret) => {
  const seconds = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': signWebhook([one, other], 'msg_1', seconds, body),
  };
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

const now = 1_750_000_000_000;
const signed = (secret = first, at = now): SignedWebhook => ({
  id: 'msg_1',
  timestamp: String(at / 1000),
  signature: new Webhook(secret).sign('msg_1', new Date(at), body),
  body: Buffer.from(body),
});

it('verifies what the library signs, with either key, within five minutes', () => {
  for (const secret of [first, second]) expect(isSignedWebhook(signed(secret), [one, other], now)).toBe(true);
  for (const at of [now - 300_000, now + 300_000]) expect(isSignedWebhook(signed(first, at), [one], now)).toBe(true);
  for (const at of [now - 301_000, now + 301_000]) expect(isSignedWebhook(signed(first, at), [one], now)).toBe(false);
  const rotated = { ...signed(), signature: `v1,AAAA v1a,x ${signed(second).signature} ${signed().signature}` };
  expect(isSignedWebhook(rotated, [one], now)).toBe(true);
});

it.each<[string, Partial<SignedWebhook>]>([
  ['another body', { body: Buffer.from(body.replace('naïve', 'naive')) }],
  ['another id', { id: 'msg_2' }],
  ['another time', { timestamp: String(now / 1000 + 1) }],
  ['a time with more text', { timestamp: `${now / 1000}x` }],
  ['no time', { timestamp: '' }],
  ['another key', { signature: signed(second).signature }],
  ['no signature', { signature: '' }],
  ['a signature without a version', { signature: signed().signature.slice(3) }],
  ['a signature of another version', { signature: signed().signature.replace('v1,', 'v1a,') }],
  ['a part of the signature', { signature: signed().signature.slice(0, -8) }],
])('refuses %s', (_, change) => {
  expect(isSignedWebhook({ ...signed(), ...change }, [one], now)).toBe(false);
});

it.each([
  '',
  'whsec_',
  Buffer.alloc(24).toString('base64'),
  `whsec_${Buffer.alloc(23).toString('base64')}`,
  `whsec_${Buffer.alloc(65).toString('base64')}`,
  `whsec_${'not base64 '.repeat(4)}`,
])('takes no secret %j', (secret) => {
  expect(readWebhookSecret(secret)).toBeUndefined();
});
