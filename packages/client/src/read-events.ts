import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ConnectionError, UnexpectedReplyError } from './errors.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** The most characters of one event. */
const longestEvent = 64 * 1024 * 1024;

/**
 * The server-sent events of a reply. Reads no further than the caller does; a caller that leaves
 * closes the connection.
 *
 * @param onPing is called for each comment that the server sends while it has no event.
 * @throws ConnectionError when the connection breaks; UnexpectedReplyError for an event that does
 * not end; the reason of the signal
 */
export async function* readEvents(
  { body, status }: Response,
  signal: AbortSignal | undefined,
  onPing?: () => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  if (body === null) throw new UnexpectedReplyError(status, '');
  const events: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onComment: onPing,
    maxBufferSize: longestEvent,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw new UnexpectedReplyError(status, '', { cause: error });
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const onAbort = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, signal);
      throwIfAborted(signal);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const event of events.splice(0)) {
        yield event;
        throwIfAborted(signal);
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await reader.cancel().catch(() => {});
  }
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): ReturnType<typeof reader.read> {
  try {
    return await reader.read();
  } catch (error) {
    throwIfAborted(signal);
    throw new ConnectionError('The connection broke', { cause: error });
  }
}

/**
 * The events as JSON, without the `[DONE]` at the end of a chat. @throws StreamFailedError,
 * UnexpectedReplyError
 */
export async function* readJsonEvents<Event>(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  for await (const { data } of readEvents(response, signal))
    if (data !== '[DONE]') yield parseEvent<Event>(data, response.status);
}

/** The event, which is an object. @throws UnexpectedReplyError */
export function parseEvent<Event>(data: string, status: number): Event {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch (error) {
    throw new UnexpectedReplyError(status, data.slice(0, 1000), { cause: error });
  }
  if (typeof event !== 'object' || event === null) throw new UnexpectedReplyError(status, data.slice(0, 1000));
  return event as Event;
}
