import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export interface SessionServer {
  readonly url: string;
  /** The credential of each session that is open, in the order in which they began. */
  readonly open: () => readonly string[];
  /** Resolves when the server has this number of open sessions. */
  hasOpen(count: number): Promise<void>;
  /** How many requests named a session of another credential. */
  readonly refused: () => number;
  /** Ends calls of `wait`. */
  release(): void;
  close(): Promise<void>;
}

interface Session {
  readonly credential: string;
  readonly transport: StreamableHTTPServerTransport;
}

/* oxlint-disable typescript/no-deprecated -- the plain server leaves schemas and answers as they are */

/**
 * A server of the official SDK with sessions. A session belongs to the credential that began it;
 * requests with another one are refused. Its tools: `whoami`, which also names the header `x-scope`, and `wait`, which returns after
 * `release`.
 */
export async function listenWithSessions(): Promise<SessionServer> {
  const sessions = new Map<string, Session>();
  const waiting = new Set<() => void>();
  const released = Promise.withResolvers<void>();
  let refused = 0;
  const changed = (): void => {
    for (const check of waiting) check();
  };

  const begin = async (credential: string): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { credential, transport });
        changed();
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
        changed();
      },
    });
    await serverOf(credential, released.promise).connect(transport);
    return transport;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const credential = request.headers.authorization ?? 'nobody';
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return (await begin(credential)).handleRequest(request, response);
    const session = sessions.get(id);
    if (session === undefined) return void response.writeHead(404).end();
    if (session.credential !== credential) {
      refused += 1;
      return void response.writeHead(403).end();
    }
    await session.transport.handleRequest(request, response);
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const open = (): readonly string[] => [...sessions.values()].map(({ credential }) => credential);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    open,
    hasOpen: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (open().length !== count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    refused: () => refused,
    release: () => released.resolve(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serverOf(credential: string, released: Promise<void>): Server {
  const server = new Server({ name: 'sessions', version: '1' }, { capabilities: { tools: {} } });
  const inputSchema = { type: 'object' as const, properties: {} };
  const names = ['whoami', 'wait', ...(credential === 'Bearer boss' ? ['dismiss'] : [])];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: names.map((name) => ({ name, inputSchema })) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestInfo }) => {
    if (params.name === 'wait') await released;
    const { 'x-scope': scope } = requestInfo?.headers ?? {};
    return { content: [{ type: 'text', text: [credential, scope].flat().join(' ').trim() }] };
  });
  return server;
}
