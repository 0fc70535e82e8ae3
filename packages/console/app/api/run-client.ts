import { refuseRun, runHeaders } from '../access/run-credential.ts';
import { type ApiError, createApi, readData, toApiError } from './client.ts';

/** Requests that run something, or read the memory, for a user. */
export const runApi = createApi(runHeaders);

/** As {@link readData}. A refusal asks for a user's token, not for another console key. */
export const readRunData: typeof readData = (reply) => readData(reply, runFailure);

export function runFailure(body: unknown, response: Response): ApiError {
  if (response.status === 401) refuseRun();
  return toApiError(body, response);
}

/**
 * A trace that a request starts: its id is known before the request is sent, so that the page can
 * link it.
 */
export function newTrace(): { readonly traceId: string; readonly traceparent: string } {
  const traceId = hex(16);
  return { traceId, traceparent: `00-${traceId}-${hex(8)}-01` };
}

function hex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
