import { type IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * A server that emits only the upgrades for channels, for `@fastify/websocket` to listen to.
 *
 * Listening to the app's server, the plugin would take the upgrades of all other listeners, and
 * HTTP requests that offer another protocol (`h2c`), whose bodies would be lost. Here other
 * listeners keep their upgrades, and any other request stays an HTTP request.
 */
export function upgradesFor(app: FastifyInstance, paths: readonly string[]): Server {
  const { initialConfig, server } = app;
  const ignoresSlash = initialConfig.routerOptions?.ignoreTrailingSlash === true;
  const upgrades = new Server();
  const isOurs = ({ url = '' }: IncomingMessage): boolean => {
    const asked = url.split('?', 1)[0] ?? '';
    const path = ignoresSlash ? asked.replace(/\/$/, '') : asked;
    return paths.some((pattern) => matches(pattern, path));
  };
  const hasOthers = (): boolean => server.listenerCount('upgrade') > 1;

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // An app that registers `@fastify/websocket` after us routes all upgrades, including ours.
    if (app.hasDecorator('websocketServer') || (hasOthers() && !isOurs(request))) return;
    upgrades.emit('upgrade', request, socket, head);
  });
  // Newer versions of Node call this; older ones treat every offer as an upgrade.
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
