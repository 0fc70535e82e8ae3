import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface PlainServer {
  readonly url: string;
  /** Headers of all requests. */
  readonly headers: IncomingHttpHeaders[];
  /** How many tool calls ran. */
  readonly calls: () => number;
  /** Ends all sessions, without telling the clients. */
  forgetSessions(): void;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

/**
 * A hand-written server with sessions. Its list of tools is sent as it is. `refusesCalls`: answers
 * each call with 404.
 */
export async function listenPlain(
  tools: readonly object[],
  { refusesCalls = false }: { readonly refusesCalls?: boolean } = {},
): Promise<PlainServer> {
  const headers: IncomingHttpHeaders[] = [];
  let sessions = new Set<unknown>();
  let opened = 0;
  let calls = 0;
  const resultOf = (method: string | undefined): object => {
    if (method === 'tools/list') return { tools };
    if (method === 'tools/call') calls += 1;
    if (method !== 'initialize') return { content: [{ type: 'text', text: 'ok' }] };
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'plain', version: '1' } };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = (await json(request)) as Message;
    headers.push(request.headers);
    const isUnknown = method !== 'initialize' && !sessions.has(request.headers['mcp-session-id']);
    if (isUnknown || (refusesCalls && method === 'tools/call')) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'initialize') {
      opened += 1;
      sessions.add(`session-${opened}`);
      response.setHeader('mcp-session-id', `session-${opened}`);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers,
    calls: () => calls,
    forgetSessions: () => void (sessions = new Set()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
