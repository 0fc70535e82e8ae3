import createClient from 'openapi-fetch';
import { refuseRun, runHeaders } from '../access/run-credential.ts';
import { ApiError, apiUrl } from './client.ts';
import type { paths } from './schema.ts';

const client = createClient<paths>({ baseUrl: apiUrl.replace(/\/$/, '') });
client.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(runHeaders())) request.headers.set(name, value);
  },
});

/** Requests that run something, or read the memory, for a user. */
export const runApi: Pick<typeof client, 'GET' | 'POST' | 'PATCH' | 'DELETE'> = client;

interface Reply<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The `data` of the envelope. A refusal asks for a user's token, not for another console key.
 *
 * @throws ApiError
 */
export async function runDataOf<Body extends { readonly data: unknown }>(
  reply: Promise<Reply<Body>>,
): Promise<Body['data']> {
  const { data, error, response } = await reply;
  if (data !== undefined) return data.data;
  throw runFailure(error, response);
}

export function runFailure(body: unknown, response: Response): ApiError {
  if (response.status === 401) refuseRun();
  const { error } = (body ?? {}) as { readonly error?: unknown };
  return new ApiError(typeof error === 'string' ? error : `The server answered ${response.status}`, response);
}

/** A trace that a request starts: its id is known before the request is sent, so that the page can link it. */
export function newTrace(): { readonly traceId: string; readonly traceparent: string } {
  const traceId = hex(16);
  return { traceId, traceparent: `00-${traceId}-${hex(8)}-01` };
}

function hex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
