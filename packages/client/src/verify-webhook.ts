import { ClientError } from './errors.ts';
import type { components } from './schema.ts';

type Delivery = components['schemas']['WebhookDelivery'];

/** An event that a server has sent to a webhook. */
export interface WebhookEvent {
  /** The same each time it is sent: ignore one that you have handled. */
  readonly id: string;
  readonly type: Delivery['type'];
  /** When it happened, in ISO 8601. */
  readonly timestamp: string;
  /** The ids of what it is about. */
  readonly data: Delivery['data'];
}

/** The webhook was not signed with the secret, or not in the last minutes. Reply 401. */
export class WebhookRefusedError extends ClientError {}

/** The request of a webhook: a `Request`, or its parts. */
export type WebhookRequest =
  | Request
  | {
      readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      /** The body as it was sent: parsed JSON has lost the bytes that were signed. */
      readonly body: string | Uint8Array<ArrayBuffer>;
    };

/**
 * Verifies a webhook of a server by the Standard Webhooks specification, with the cryptography that
 * browsers, servers and edge runtimes have.
 *
 * @param secret `whsec_…`; of a list, one must have signed it.
 * @throws WebhookRefusedError
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secret: string | readonly string[],
  // oxlint-disable-next-line halyard/no-wall-clock -- the clock of the receiver
  { now = Date.now(), toleranceMs = 5 * 60_000 }: { readonly now?: number; readonly toleranceMs?: number } = {},
): Promise<WebhookEvent> {
  const id = header(request, 'webhook-id');
  const timestamp = header(request, 'webhook-timestamp');
  const signatures = header(request, 'webhook-signature').split(' ');
  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  if (!(Math.abs(now - sentAt) <= toleranceMs)) throw new WebhookRefusedError('The time of the webhook is wrong');

  const body = await readBody(request);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await importKey(one);
    for (const signature of signatures) {
      const given = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
      // It compares in constant time.
      if (given !== undefined && (await crypto.subtle.verify('HMAC', key, given, signed)))
        return { id, ...(JSON.parse(new TextDecoder().decode(body)) as Omit<WebhookEvent, 'id'>) };
    }
  }
  throw new WebhookRefusedError('The signature of the webhook is wrong');
}

function header({ headers }: WebhookRequest, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

async function readBody(request: WebhookRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (request instanceof Request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

async function importKey(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) throw new ClientError('The secret must be "whsec_" and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
