import type { FetchFunction, FetchInit } from '../client-options.ts';
import { ClientError } from '../errors.ts';

/** The request that a client sent. */
export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly init: FetchInit;
}

export const origin = 'https://api.test';

/** A reply with the envelope of the server. */
export function data(value: unknown, extra: object = {}): Response {
  return Response.json({ success: true, data: value, ...extra });
}

/** A refusal as the server sends it. */
export function refusal(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = { success: false, error: `refused: ${code}` };
  return Response.json(body, { status, headers: { 'x-error-code': code, ...headers } });
}

/**
 * A stream of server-sent events; a text is sent unchanged. It breaks at its end when it is
 * `broken`.
 */
export function eventStream(
  events: readonly unknown[],
  { headers = {}, isBroken = false }: { readonly headers?: Record<string, string>; readonly isBroken?: boolean } = {},
): Response {
  const frames = events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const frame = frames.shift();
      if (frame !== undefined) controller.enqueue(new TextEncoder().encode(frame));
      else if (isBroken) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers } });
}

/** An error is thrown, as `fetch` does without a connection. */
export type Reply = Response | Error | ((sent: Sent) => Response);

/** Answers each request with the next reply, in order. */
export function scriptedFetch(...replies: readonly Reply[]): {
  readonly fetch: FetchFunction;
  readonly sent: readonly Sent[];
} {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (url, init) => {
      const { host, pathname, protocol, search } = new URL(url, origin);
      const request: Sent = {
        method: init.method,
        path: (`${protocol}//${host}` === origin ? '' : `${protocol}//${host}`) + pathname + search,
        body: init.body === undefined ? undefined : JSON.parse(init.body),
        headers: init.headers,
        init,
      };
      const reply = replies[sent.push(request) - 1];
      if (reply === undefined) throw new ClientError(`no reply is left for ${request.method} ${request.path}`);
      if (reply instanceof Error) throw reply;
      return typeof reply === 'function' ? reply(request) : reply;
    },
  };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
