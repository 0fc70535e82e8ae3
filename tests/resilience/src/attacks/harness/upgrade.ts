import { request } from 'node:http';
import type { Target } from './target.ts';

/**
 * Asks for a WebSocket, and returns the status of the reply: 101 if it was opened. It is closed at
 * once.
 */
export function upgradeStatus(
  target: Target,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { promise, reject, resolve } = Promise.withResolvers<number>();
  const asking = request({
    host: target.hostname,
    port: target.port,
    path,
    agent: false,
    headers: {
      ...headers,
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  asking.on('upgrade', (_, socket) => {
    socket.destroy();
    resolve(101);
  });
  asking.on('response', (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  asking.on('error', reject);
  asking.end();
  return promise;
}
