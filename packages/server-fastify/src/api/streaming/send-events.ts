import type { ServerResponse } from 'node:http';
import type { EventBatches, Stream } from '../define/define-stream.ts';
import { comment } from './frame.ts';

/** Headers of every SSE reply. */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export interface SendEventsOptions {
  readonly stream: Pick<Stream, 'encode' | 'encodeFailure' | 'terminator'>;
  /** Ends the stream. A client that is still connected gets the message of its reason. */
  readonly signal: AbortSignal;
  /** The text that the client gets for a failure after the stream started. */
  readonly describeFailure: (error: unknown) => string;
}

/**
 * Sends events to one client until they end, fail, or the signal is aborted, and resolves when the
 * response is closed. The head must be written, and may be unsent.
 *
 * The events of a batch are one write. No batch is requested while the client does not read.
 */
export async function sendEvents(
  events: EventBatches<unknown>,
  response: ServerResponse,
  { describeFailure, signal, stream }: SendEventsOptions,
): Promise<void> {
  const closed = whenClosed(response);
  let resume = (): void => {};
  const onAbort = (): void => {
    end(response, stream.encodeFailure(toMessage(signal.reason)));
    resume();
  };
  response.on('drain', () => resume());
  response.on('error', () => {});
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  // The first events go out with the head in one write, unless the client would wait for them.
  const head = setImmediate(() => response.flushHeaders());
  try {
    for await (const batch of events) {
      if (signal.aborted) break;
      const frames = encodeAll(batch, stream);
      if (frames === '') continue;
      if (response.destroyed) break;
      clearImmediate(head);
      response.write(frames);
      if (response.writableNeedDrain) await new Promise<void>((resolve) => (resume = resolve));
    }
    end(response, stream.terminator);
  } catch (error) {
    // Described even when the client has left: that logs our own faults.
    end(response, stream.encodeFailure(describeFailure(error)));
  } finally {
    clearImmediate(head);
  }
  await closed;
}

/** A comment, which keeps proxies from closing a silent stream. */
export function sendPing(response: ServerResponse): void {
  if (!response.writableEnded && !response.destroyed && !response.writableNeedDrain) response.write(comment('ping'));
}

function whenClosed(response: ServerResponse): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => response.once('close', resolve));
}

function toMessage(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function encodeAll(batch: readonly unknown[], { encode }: Pick<Stream, 'encode'>): string {
  let frames = '';
  for (const event of batch) frames += encode(event);
  return frames;
}

function end(response: ServerResponse, lastFrame: string): void {
  if (response.writableEnded || response.destroyed) return;
  if (lastFrame === '') response.end();
  else response.end(lastFrame);
}
