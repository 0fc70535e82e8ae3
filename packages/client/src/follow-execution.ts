import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { ApiError, ConnectionError, UnexpectedReplyError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import { parseEvent, readEvents } from './read-events.ts';
import type { components } from './schema.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

type SentEvent = components['schemas']['WorkflowEvent'];

/** An event of an execution. The server's `error` event is thrown instead. */
export type WorkflowEvent = Exclude<SentEvent, { readonly type: 'error' }>;

/** Which execution is followed, and from where. */
export interface FollowOptions extends CallOptions {
  /** The `seq` of the last event that is known. Default: all events are sent. */
  readonly after?: number | undefined;
  /** Called for each connection. */
  readonly onOpen?: (() => void) | undefined;
  /** Called when the connection is lost, before it is opened again. */
  readonly onLost?: ((error: ConnectionError) => void) | undefined;
}

interface ExecutionPath {
  readonly id: string;
  readonly executionId: string;
}

/**
 * The events of an execution until it is suspended or has ended. Connects again after the last
 * event when the connection breaks or the server restarts: no stored event is left out or repeated.
 * Only `agent-event`s are not stored.
 *
 * @throws ConnectionError after too many attempts in a row, ApiError
 */
export async function* followExecution(
  connection: Connection,
  path: ExecutionPath,
  { after = 0, onLost, onOpen, signal }: FollowOptions,
): AsyncGenerator<WorkflowEvent, void, undefined> {
  let last = after;
  let failures = 0;
  for (;;) {
    let failure: unknown;
    let lastType = '';
    try {
      const { response } = await connection.api.GET('/workflows/{id}/executions/{executionId}/stream', {
        params: { path, header: last > 0 ? { 'last-event-id': last } : {} },
        parseAs: 'stream',
        signal,
      });
      onOpen?.();
      // The execution has ended, and the caller knows its last event.
      if (response.status === 204) return;
      for await (const { data } of readEvents(response, signal, () => (failures = 0))) {
        const event = parseEvent<SentEvent>(data, response.status);
        if ('seq' in event) {
          if (event.seq <= last) continue;
          last = event.seq;
          lastType = event.type;
        } else if (event.type === 'error') {
          // The server ends the stream, such as for a shutdown. The execution goes on.
          failure = new ConnectionError(event.error);
          break;
        }
        failures = 0;
        yield event;
      }
      if (failure === undefined && (lastType === 'workflow-result' || !(await isRunning(connection, path, signal))))
        return;
    } catch (error) {
      throwIfAborted(signal);
      if (!isTemporary(error)) throw error;
      failure = error;
    }
    const lost = new ConnectionError(`The events of execution ${path.executionId} cannot be followed`, {
      cause: failure,
    });
    if (failures >= connection.reconnects) throw lost;
    onLost?.(lost);
    await pause(backoffMs(failures), signal);
    failures += 1;
  }
}

/** A proxy can end a stream as if the server had. */
async function isRunning(
  connection: Connection,
  path: ExecutionPath,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { data } = await connection.api.GET('/workflows/{id}/executions/{executionId}', {
    params: { path },
    signal,
  });
  return data?.data.status === 'running';
}

/** Whether the same request can succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status === 503;
  if (error instanceof UnexpectedReplyError) return error.status >= 502 && error.status <= 504;
  return error instanceof ConnectionError;
}
