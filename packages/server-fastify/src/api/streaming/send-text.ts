import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Headers of every stream of plain text. */
export const textStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * Whether a client asks for plain text. It must come first: some clients of JSON name it among
 * others by default.
 */
export function prefersText(accept: string | undefined): boolean {
  return /^\s*text\/plain\s*(?:[;,]|$)/i.test(accept ?? '');
}

/**
 * Sends texts to one client, one write each, and resolves when all are sent or the client has left.
 * The head is written with the first text.
 *
 * A text has no form for a failure. So a failure before the first text rejects, and a later one
 * breaks the connection off: the client must not take the text for a whole one.
 */
export async function sendText(
  texts: AsyncIterable<string>,
  response: ServerResponse,
  writeHead: () => void,
): Promise<void> {
  const pieces = texts[Symbol.asyncIterator]();
  const first = await pieces.next();
  writeHead();
  const all = async function* (): AsyncGenerator<string> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  // A failure is in the log of the run, and the client sees that the connection ends.
  await pipeline(all, response).catch(() => response.destroy());
}
