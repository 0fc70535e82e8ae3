import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  readonly origin: string;
  /** The next request that has not been returned yet; waits until it has arrived. */
  next(): Promise<Received>;
}

/**
 * A server that plays a service of somebody else: it answers every request with the same JSON, and
 * keeps what it receives.
 */
export async function openReceiver(answer: object = {}): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: PromiseWithResolvers<Received>[] = [];
  const server = createServer((request, response) => void reply(request, response));

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, url = '/' } = request;
    const arrived = { url, headers, body: await text(request) };
    const reader = waiting.shift();
    if (reader === undefined) received.push(arrived);
    else reader.resolve(arrived);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }

  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    next: () => {
      const first = received.shift();
      if (first !== undefined) return Promise.resolve(first);
      const arrival = Promise.withResolvers<Received>();
      waiting.push(arrival);
      return arrival.promise;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
