import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { UIMessageChunk } from '../model/messages/message.ts';

/**
 * The headers of the AI SDK (`UI_MESSAGE_STREAM_HEADERS`) without that of the connection, which the
 * HTTP server decides. `no-transform`: compression would collect the events before it sends them.
 */
export const uiMessageStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
};

export const textStreamHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const encoder = new TextEncoder();

/** Chunks as server-sent events. */
export function toSse(chunks: readonly UIMessageChunk[]): readonly Uint8Array[] {
  if (chunks.length === 0) return [];
  return [encoder.encode(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))];
}

export const endOfSse: readonly Uint8Array[] = [encoder.encode('data: [DONE]\n\n')];

export function toBytes(text: string): readonly Uint8Array[] {
  return text === '' ? [] : [encoder.encode(text)];
}

export function streamResponse(
  body: ReadableStream<Uint8Array>,
  defaults: Readonly<Record<string, string>>,
  init: ResponseInit = {},
): Response {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value);
  return new Response(body, { ...init, headers });
}

/**
 * Sends a response, and resolves when it is sent, its client has left or its body failed. The
 * helper of the AI SDK waits forever for a client that has left, and does not end the run.
 */
export async function pipeResponse(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, from.statusText, Object.fromEntries(from.headers));
  to.flushHeaders();
  // Also with the types of browsers, whose streams are others, this is one of Node's.
  if (!(from.body instanceof NodeReadableStream)) to.end();
  // A client learns of a failure by the end of its connection.
  else await pipeline(Readable.fromWeb(from.body), to).catch(() => to.destroy());
}
