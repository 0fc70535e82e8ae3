import { createClient as createHalyardClient } from '@halyard/client';
import createClient from 'openapi-fetch';
import { type Credential, currentCredential, refuseCredential } from '../access/credential.ts';
import type { paths } from './schema.ts';

/**
 * The address of the API, with a slash at the end: the server serves the console one level below
 * it.
 */
export const apiUrl = new URL('../', document.baseURI).href;

/** Tells the server that the console sent a request: the log page leaves out what only reads. */
export const clientHeader = { 'x-client-name': 'console' } as const;

/**
 * The headers that authenticate a request. Without a key or a token, the bypass of development is
 * tried.
 */
export function credentialHeaders(): Record<string, string> {
  const credential = currentCredential();
  if (credential === undefined) return { 'x-service-dev': 'true' };
  return credential.kind === 'key'
    ? { 'x-console-access-key': credential.value }
    : { authorization: `Bearer ${credential.value}` };
}

type Client = ReturnType<typeof createClient<paths>>;
type Api = Pick<Client, 'GET' | 'POST' | 'PATCH' | 'DELETE'>;

/** A typed client of the HTTP API, generated from `/doc`, which sends these headers. */
export function createApi(headers: () => Record<string, string>): Api {
  const client = createClient<paths>({ baseUrl: apiUrl.replace(/\/$/, '') });
  client.use({
    onRequest({ request }) {
      for (const [name, value] of Object.entries({ ...headers(), ...clientHeader })) request.headers.set(name, value);
    },
  });
  return client;
}

/** Requests with what the person has entered to open the console. */
export const api: Api = createApi(credentialHeaders);

/** Opens channels with the same credential, and again as long as the page needs them. */
export const consoleClient = createHalyardClient({
  baseUrl: apiUrl,
  headers: clientHeader,
  consoleKey: () => readValue('key'),
  token: () => readValue('token'),
  reconnects: Number.POSITIVE_INFINITY,
});

function readValue(kind: Credential['kind']): string | undefined {
  const credential = currentCredential();
  return credential?.kind === kind ? credential.value : undefined;
}

/** A reply of the server that is not a success. */
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
export async function readData<Body extends { readonly data: unknown }>(
  reply: Promise<Reply<Body>>,
  failure: (body: unknown, response: Response) => ApiError = receiveFailure,
): Promise<Body['data']> {
  const { data, error, response } = await reply;
  if (data !== undefined) return data.data;
  throw failure(error, response);
}

/**
 * The text of the server's refusal on a console route. Routes of users refuse a console key too,
 * which is right nevertheless.
 */
const wantsConsoleKey = 'Console access required';

/** Also asks for a credential again if the server accepts none or another one. */
export function receiveFailure(body: unknown, response: Response): ApiError {
  const error = toApiError(body, response);
  if (error.status === 401 && (currentCredential() === undefined || error.message === wantsConsoleKey))
    refuseCredential();
  return error;
}

export function toApiError(body: unknown, response: Response): ApiError {
  const { error } = (body ?? {}) as { readonly error?: unknown };
  return new ApiError(typeof error === 'string' ? error : `The server answered ${response.status}`, response);
}
