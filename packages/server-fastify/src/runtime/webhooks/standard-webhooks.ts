import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signatures by the Standard Webhooks specification (https://www.standardwebhooks.com), symmetric.
 * Its library computes the HMAC in JavaScript, which would block the server while it checks the
 * large body of somebody who knows no secret.
 */
const prefix = 'whsec_';
const leastBytes = 24;
const mostBytes = 64;

/** How far the time of a webhook may be from that of the server. */
const toleranceMs = 5 * 60_000;

/** The key in a secret, `whsec_` and base64; undefined if it is none, or has not 24 to 64 bytes. */
export function readWebhookSecret(secret: string): Buffer | undefined {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const key = Buffer.from(text, 'base64');
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isBase64 && key.length >= leastBytes && key.length <= mostBytes ? key : undefined;
}

/** The header `webhook-signature`: a signature with each key, so that receivers can change their secret. */
export function signWebhook(keys: readonly Buffer[], id: string, seconds: number, body: string): string {
  return keys.map((key) => `v1,${sign(key, id, String(seconds), body).toString('base64')}`).join(' ');
}

export interface SignedWebhook {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  readonly signature: string;
  readonly body: Uint8Array;
}

/** Whether one of the keys has signed it, at about this time. */
export function isSignedWebhook(
  { body, id, signature, timestamp }: SignedWebhook,
  keys: readonly Buffer[],
  now: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > toleranceMs) return false;
  const given = signature
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []));
  return keys.some((key) => {
    const expected = sign(key, id, timestamp, body);
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
}

function sign(key: Buffer, id: string, seconds: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
}
