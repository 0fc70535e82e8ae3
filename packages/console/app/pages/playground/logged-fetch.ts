import { refuseRun, runHeaders } from '../../access/run-credential.ts';
import { apiUrl } from '../../api/client.ts';
import { newTrace } from '../../api/run-client.ts';
import type { EventLog } from './event-log.ts';

/**
 * `fetch` with the credential of runs, a trace for each request, and a copy of the reply for the
 * log.
 */
export function loggedFetch(log: EventLog, nextTrace = newTrace): typeof fetch {
  return async (input, init = {}) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    const { traceId, traceparent } = nextTrace();
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries({ ...runHeaders(), traceparent })) headers.set(name, value);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const read = log.begin(url.slice(apiUrl.length), body, traceId);
    const response = await fetch(url, { ...init, headers });
    if (response.status === 401) refuseRun();
    // Chromium gives a 204 a body, with which no response can be made: no reply is generated to read on.
    if (!response.ok || response.status === 204 || response.body === null) return response;
    const [shown, logged] = response.body.tee();
    void read(logged);
    return new Response(shown, { status: response.status, headers: response.headers });
  };
}
