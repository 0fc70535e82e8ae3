import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JsonObject, JsonValue } from '@halyard/contracts';
import { isJsonObject } from './json-object.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { RequestedFormat } from './script.ts';
import { type Line, sendReply, type WireReply } from './send-reply.ts';

/** One path of a provider's API: how to record a request and how to answer it. */
export interface WireEndpoint {
  settings(body: JsonObject): JsonObject;
  format?(body: JsonObject): RequestedFormat | undefined;
  reply(request: RecordedRequest): WireReply;
}

export interface WireServerOptions {
  /** The endpoint of `POST <path>` (without the query); undefined answers 404. */
  readonly findEndpoint: (path: string) => WireEndpoint | undefined;
  /** The provider's error body for a request to an unknown endpoint. */
  readonly failure: (status: number, message: string) => JsonValue;
}

export interface WireServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  request(index: number): Promise<RecordedRequest>;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function openWireServer({ findEndpoint, failure }: WireServerOptions): Promise<WireServer> {
  const requests: RecordedRequest[] = [];
  const arrivals = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  let closing = false;

  const server = createServer((incoming, response) => {
    // An error of the client's socket, which the recorded request shows.
    answer(incoming, response).catch(() => response.destroy());
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    const body = parseObject(await text(incoming));
    const number = requests.length + 1;
    const endpoint = incoming.method === 'POST' ? findEndpoint(new URL(path, 'http://wire').pathname) : undefined;
    const { request, line } = record(response, () => closing, {
      number,
      path,
      headers: flatten(incoming.headers),
      body: body ?? {},
      settings: endpoint?.settings(body ?? {}) ?? {},
      format: endpoint?.format?.(body ?? {}),
    });
    requests.push(request);
    arrivals.get(requests.length - 1)?.resolve(request);

    response.setHeader('x-request-id', `req_${number}`);
    await sendReply(line, replyTo(request, endpoint, body));
  }

  function replyTo(
    request: RecordedRequest,
    endpoint: WireEndpoint | undefined,
    body: JsonObject | undefined,
  ): WireReply {
    if (endpoint === undefined)
      return { kind: 'json', status: 404, body: failure(404, `Invalid URL (${request.path})`) };
    if (body === undefined)
      return { kind: 'json', status: 400, body: failure(400, 'The body of the request is not a JSON object.') };
    return endpoint.reply(request);
  }

  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

  async function close(): Promise<void> {
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    request: (index) => {
      const known = requests[index];
      if (known !== undefined) return Promise.resolve(known);
      const arrival = arrivals.get(index) ?? Promise.withResolvers<RecordedRequest>();
      arrivals.set(index, arrival);
      return arrival.promise;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function record(
  response: ServerResponse,
  isClosing: () => boolean,
  facts: Omit<RecordedRequest, 'aborted' | 'ended' | 'breakOff'>,
): { readonly request: RecordedRequest; readonly line: Line } {
  const ended = Promise.withResolvers<void>();
  const gone = new AbortController();
  let aborted = false;
  let brokenHere = false;

  response.once('close', () => {
    aborted = !response.writableFinished && !brokenHere && !isClosing();
    gone.abort();
    ended.resolve();
  });
  const breakOff = (): void => {
    brokenHere = true;
    response.destroy();
  };

  const request: RecordedRequest = {
    ...facts,
    get aborted() {
      return aborted;
    },
    ended: ended.promise,
    breakOff,
  };
  return { request, line: { response, gone: gone.signal, breakOff } };
}

function flatten(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function parseObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
