import { ConnectionError, createClient } from '@halyard/client';
import { apiUrl } from '../../api/client.ts';
import { newTrace } from '../../api/run-client.ts';
import type { EventLog } from './event-log.ts';
import { loggedFetch } from './logged-fetch.ts';
import { connectionLost } from './readable-error.ts';

/** One request for an object, and how far it is. */
export interface ObjectRun {
  readonly traceId: string;
  readonly input: string;
  readonly state: 'running' | 'completed' | 'error' | 'cancelled';
  readonly object?: unknown;
  readonly updates: number;
  readonly error?: string;
  readonly durationMs?: number;
}

interface ObjectRequest {
  readonly input: string;
  readonly schema: object;
  readonly options: object;
}

/** Generates an object, and calls `show` with each state of it. Never throws. */
export async function streamObject(
  agentId: string,
  { input, options, schema }: ObjectRequest,
  {
    log,
    show,
    signal,
  }: { readonly log: EventLog; readonly signal: AbortSignal; readonly show: (run: ObjectRun) => void },
): Promise<void> {
  const trace = newTrace();
  // A refused request is shown, not repeated.
  const client = createClient({ baseUrl: apiUrl, fetch: loggedFetch(log, () => trace), retries: 0 });
  const startedAt = performance.now();
  let run: ObjectRun = { traceId: trace.traceId, input, state: 'running', updates: 0 };
  show(run);
  try {
    for await (const { object, type } of client
      .agent(agentId)
      .streamObject(input, { ...options, schema: { ...schema }, signal })) {
      run = { ...run, state: type === 'object' ? 'completed' : run.state, object, updates: run.updates + 1 };
      show(run);
    }
    if (run.state === 'running')
      run = { ...run, state: 'error', error: 'The answer ended before the object was complete.' };
  } catch (error) {
    run = signal.aborted ? { ...run, state: 'cancelled' } : { ...run, state: 'error', error: toMessage(error) };
  }
  show({ ...run, durationMs: performance.now() - startedAt });
}

function toMessage(error: unknown): string {
  if (error instanceof ConnectionError) return connectionLost;
  return error instanceof Error ? error.message : String(error);
}
