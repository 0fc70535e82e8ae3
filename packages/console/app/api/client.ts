import createClient from 'openapi-fetch';
import { currentCredential, refuseCredential } from '../access/credential.ts';
import type { paths } from './schema.ts';

/** The address of the API, with a slash at the end: the server serves the console one level below it. */
export const apiUrl = new URL('../', document.baseURI).href;

/** The headers that authenticate a request. Without a key or a token, the bypass of development is tried. */
export function credentialHeaders(): Record<string, string> {
  const credential = currentCredential();
  if (credential === undefined) return { 'x-service-dev': 'true' };
  return credential.kind === 'key'
    ? { 'x-console-access-key': credential.value }
    : { authorization: `Bearer ${credential.value}` };
}

/** The typed client of the HTTP API, generated from `/doc`. */
const client = createClient<paths>({ baseUrl: apiUrl.replace(/\/$/, '') });
client.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(credentialHeaders())) request.headers.set(name, value);
  },
});

/** An answer of the server that is not a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The value of `x-error-code`. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, response: Response) {
    super(message);
    this.status = response.status;
    this.code = response.headers.get('x-error-code') ?? undefined;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
  }
}

interface Reply<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The `data` of the envelope.
 *
 * @throws ApiError
 */
export async function dataOf<Body extends { readonly data: unknown }>(
  reply: Promise<Reply<Body>>,
): Promise<Body['data']> {
  const { data, error, response } = await reply;
  if (data !== undefined) return data.data;
  throw failureOf(error, response);
}

/** Also asks for a credential again if the server accepts none or another one. */
export function failureOf(body: unknown, response: Response): ApiError {
  if (response.status === 401) refuseCredential();
  const { error } = (body ?? {}) as { readonly error?: unknown };
  return new ApiError(typeof error === 'string' ? error : `The server answered ${response.status}`, response);
}

/** `api.get('/agents')`: requests whose answers are the `data` of the envelope. */
export const api: Pick<typeof client, 'GET' | 'POST' | 'PATCH' | 'DELETE'> = client;
