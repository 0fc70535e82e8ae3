import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { http } from '../node-http.ts';
import { hangUp } from './client-errors.ts';

/**
 * The requests to upgrade a connection that are for channels, as a server for `@fastify/websocket` to listen to.
 *
 * It would take every upgrade from every other listener of the app, and HTTP requests that offer another protocol (`h2c`) from Node,
 * which loses their bodies. Here others keep theirs, and what is for no channel stays an HTTP request.
 */
export function upgradesFor(app: FastifyInstance, paths: readonly string[]): Server {
  const { server } = app;
  const upgrades = new http.Server();
  const isOurs = ({ url = '' }: IncomingMessage): boolean => {
    const path = url.split('?', 1)[0] ?? '';
    return paths.some((pattern) => matches(pattern, path));
  };
  const hasOthers = (): boolean => server.listenerCount('upgrade') > 1;

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // An app that brought `@fastify/websocket` after us routes all upgrades, ours among them.
    if (app.hasDecorator('websocketServer') || (hasOthers() && !isOurs(request))) return;
    upgrades.emit('upgrade', request, socket, head);
    endAfterAnswer(socket);
  });
  // Newer versions of Node ask; for others every offer is an upgrade.
  if ('shouldUpgradeCallback' in server) {
    Reflect.set(
      server,
      'shouldUpgradeCallback',
      (request: IncomingMessage) => hasOthers() || (isForWebSocket(request) && isOurs(request)),
    );
  }
  return upgrades;
}

function isForWebSocket({ headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

function matches(pattern: string, path: string): boolean {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length &&
    expected.every((segment, at) => segment.startsWith(':') || segment === segments[at])
  );
}

/** Nobody reads requests from such a connection any more: one that was refused is of no use. */
function endAfterAnswer(socket: Duplex): void {
  // Node keeps the answer of a connection there.
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  if (answer instanceof http.ServerResponse) answer.once('finish', () => hangUp(socket));
}
