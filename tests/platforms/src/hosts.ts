import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createApp } from './app.ts';

/** A place that serves the app. */
export interface Host {
  readonly origin: string;
  close(): Promise<void>;
}

export async function openFastify(): Promise<Host> {
  const server = await createApp();
  return { origin: await server.listen({ port: 0, host: '127.0.0.1' }), close: () => server.close() };
}

/** A route handler, called as a framework on a server of Node calls it. */
export async function openRouteHandler(): Promise<Host> {
  const server = await createApp();
  const handler = (request: Request): Promise<Response> => server.fetch(request);
  const route: Readonly<Record<string, typeof handler>> = { GET: handler, POST: handler };
  const http = await listen(async (incoming, outgoing) => {
    const client = new AbortController();
    outgoing.once('close', () => client.abort());
    const method = incoming.method ?? 'GET';
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method,
      headers: headersOf(incoming),
      ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
      signal: client.signal,
    });
    const response = await (route[method] ?? handler)(request);
    // Else the rest of a body that was refused would be taken for the next request.
    if (!incoming.complete) outgoing.setHeader('connection', 'close');
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body), outgoing);
  });
  return { origin: http.origin, close: () => http.close().then(() => server.close()) };
}

export async function openBun(program: string): Promise<Host> {
  const app = fileURLToPath(new URL('bun-app.ts', import.meta.url));
  const child = spawn(program, ['--conditions=@halyard/source', app], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [origin] = (await Promise.race([
    once(lines, 'line'),
    exited.then(([code]) => Promise.reject(new Error(`Bun ended with ${code}`))),
  ])) as [string];
  return {
    origin,
    close: async () => {
      child.kill();
      await exited;
    },
  };
}

/** Invokes the function with events of API Gateway, as its HTTP APIs send them. */
export async function openLambda(): Promise<Host> {
  const { handler, server } = await import('./lambda-app.ts');
  const http = await listen(async (incoming, outgoing) => {
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://gateway.example');
    const body = await buffer(incoming);
    const result = await handler({
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: Object.fromEntries(headersOf(incoming)),
      ...(body.length > 0 && { body: body.toString('base64') }),
      isBase64Encoded: body.length > 0,
      requestContext: {
        domainName: 'gateway.example',
        http: { method: incoming.method ?? 'GET', sourceIp: '203.0.113.7' },
      },
    });
    outgoing.writeHead(result.statusCode, result.headers);
    outgoing.end(result.body);
  });
  return { origin: http.origin, close: () => http.close().then(() => server.close()) };
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

async function listen(serve: (...args: Parameters<RequestListener>) => Promise<void>): Promise<Host> {
  const http = createHttpServer((incoming, outgoing) => {
    // A client that left ends the pipeline with an error.
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}
