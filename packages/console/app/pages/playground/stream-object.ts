import { refuseRun, runHeaders } from '../../access/run-credential.ts';
import { apiUrl } from '../../api/client.ts';
import { newTrace } from '../../api/run-client.ts';
import type { EventLog } from './event-log.ts';
import { readableError } from './readable-error.ts';

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
  body: ObjectRequest,
  {
    log,
    show,
    signal,
  }: { readonly log: EventLog; readonly signal: AbortSignal; readonly show: (run: ObjectRun) => void },
): Promise<void> {
  const { traceId, traceparent } = newTrace();
  const path = `agents/${encodeURIComponent(agentId)}/stream-object`;
  const startedAt = performance.now();
  let run: ObjectRun = { traceId, input: body.input, state: 'running', updates: 0 };
  show(run);
  const read = log.begin(path, body, traceId);
  try {
    const response = await fetch(apiUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent, ...runHeaders() },
      body: JSON.stringify(body),
      signal,
    });
    if (response.status === 401) refuseRun();
    if (!response.ok || response.body === null) throw new Error(await response.text());
    const [shown, logged] = response.body.tee();
    void read(logged);
    for await (const event of eventsOf(shown)) {
      run = next(run, event);
      show(run);
    }
    run =
      run.state === 'running'
        ? { ...run, state: 'error', error: 'The answer ended before the object was complete.' }
        : run;
  } catch (error) {
    run = signal.aborted
      ? { ...run, state: 'cancelled' }
      : { ...run, state: 'error', error: readableError(error instanceof Error ? error.message : String(error)) };
  }
  show({ ...run, durationMs: performance.now() - startedAt });
}

interface ObjectEvent {
  readonly type: 'partial' | 'object' | 'error';
  readonly object?: unknown;
  readonly error?: string;
}

function next(run: ObjectRun, event: ObjectEvent): ObjectRun {
  if (event.type === 'error') return { ...run, state: 'error', error: event.error ?? 'The run failed.' };
  const state = event.type === 'object' ? 'completed' : run.state;
  return { ...run, state, object: event.object, updates: run.updates + 1 };
}

async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ObjectEvent> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice(5)) as ObjectEvent;
  }
}
