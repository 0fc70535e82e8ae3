import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const addSchema = {
  type: 'object' as const,
  properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
  required: ['a', 'b'],
};
/** An image of one pixel. */
const dot = { type: 'image' as const, mimeType: 'image/gif', data: 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=' };
const noInput = { type: 'object' as const, properties: {} };

/** When a call of `hang` began and was cancelled. */
export class Hanging {
  readonly begun: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly stopped: PromiseWithResolvers<void> = Promise.withResolvers();
}

/* oxlint-disable typescript/no-deprecated -- the plain server leaves schemas and answers as they are */

/** A server that is not Halyard's: `add`, `draw`, `fail`, `hang`, `pid`, and `odd.name`. */
export function outsideServer(hanging: Hanging = new Hanging()): Server {
  const server = new Server({ name: 'outside', version: '3.2.1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'add', description: 'Adds', inputSchema: addSchema },
      { name: 'draw', description: 'Draws', inputSchema: noInput },
      { name: 'fail', description: 'Fails', inputSchema: noInput },
      { name: 'hang', description: 'Never ends', inputSchema: noInput },
      { name: 'pid', description: 'Returns its process id', inputSchema: noInput },
      { name: 'odd.name', description: 'Has a name that models do not accept', inputSchema: noInput },
    ],
  }));
  server.setRequestHandler('tools/call', async ({ params: { arguments: input, name } }, { mcpReq }) => {
    if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'the disk is full' }] };
    if (name === 'draw') return { content: [{ type: 'text', text: 'A dot:' }, dot] };
    if (name === 'hang') {
      mcpReq.signal.addEventListener('abort', () => hanging.stopped.resolve());
      hanging.begun.resolve();
      await hanging.stopped.promise;
    }
    return { content: [{ type: 'text', text: name === 'add' ? String(sum(input)) : String(process.pid) }] };
  });
  return server;
}

function sum(input: Record<string, unknown> | undefined): number {
  return Number(input?.['a']) + Number(input?.['b']);
}

export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  readonly hanging: Hanging;
  close(): Promise<void>;
}

/** {@link outsideServer} over HTTP. */
export async function listen(port = 0): Promise<ListeningServer> {
  const hanging = new Hanging();
  const handler = createMcpHandler(() => outsideServer(hanging));
  const server: HttpServer = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const controller = new AbortController();
    response.on('close', () => controller.abort());
    const body = await text(request);
    const reply = await handler.fetch(
      new Request(`http://127.0.0.1${request.url ?? '/'}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        signal: controller.signal,
        ...(body !== '' && { body }),
      }),
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(Buffer.from(await reply.arrayBuffer()));
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}/mcp?key=secret`,
    port: listening,
    hanging,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
