import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may wait before the server stops reading from it. That its client has left is then noticed with the next reply. */
const maxWaiting = 100;

/**
 * Handles requests that a client sends on one connection without waiting for replies one after the other, as RFC 9112, section 9.3.2,
 * requires of those that change something. Each is handled in its own turn of the event loop: thousands can arrive at once, and would
 * delay all other callers.
 */
export function handlePipelinedRequestsInOrder(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');

  const countOf = (socket: Socket): number => waiting.get(socket) ?? 0;
  const change = ({ socket }: IncomingMessage, by: 1 | -1): void => {
    // Node resumes the socket with each reply.
    if (!waiting.has(socket)) socket.on('resume', () => countOf(socket) >= maxWaiting && socket.pause());
    const count = countOf(socket) + by;
    waiting.set(socket, count);
    if (count >= maxWaiting) socket.pause();
    else if (count === 0) socket.resume();
  };

  for (const handle of handlers)
    server.on('request', (request, response) => {
      // Node gives the socket to a reply when the reply before it has been sent.
      if (response.socket !== null) {
        handle(request, response);
        return;
      }
      change(request, 1);
      // In the async context in which it arrived, not in that of the request before it.
      const begin = AsyncResource.bind(() => {
        change(request, -1);
        if (request.socket.writable) handle(request, response);
      });
      response.once('socket', () => setImmediate(begin));
    });
}
