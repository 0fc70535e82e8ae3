import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** So many requests behind another are ignored. A client that sends more is disconnected. */
const maxIgnored = 100;

/**
 * Handles at most one request that a client sends on a connection without waiting for the reply to
 * the one before it (pipelining), after that reply, and then closes the connection. Browsers and
 * proxies never pipeline, and retry a request whose connection has closed without a reply.
 */
export function closeAfterPipelined(): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
  const ignored = new WeakMap<Socket, number>();
  return ({ raw: { socket } }, { raw }, done) => {
    // Node gives the socket to a reply when the reply before it has been sent.
    if (raw.socket !== null) {
      done();
      return;
    }
    const count = ignored.get(socket);
    ignored.set(socket, (count ?? -1) + 1);
    if (count === undefined) {
      raw.shouldKeepAlive = false;
      // In the async context of this request, not in that of the one before it.
      raw.once(
        'socket',
        AsyncResource.bind(() => done()),
      );
    } else if (count >= maxIgnored) socket.destroy();
  };
}
