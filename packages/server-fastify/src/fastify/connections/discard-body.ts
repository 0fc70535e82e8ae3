import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/** How many bytes of a refused body are read, and for how long. */
const maxBytes = 32 * 1024 * 1024;
const maxMs = 5_000;

/**
 * Reads and discards the rest of a body whose request is refused. A client that is still sending when its connection is closed often loses
 * the reply. A client that sends more, or takes longer, is disconnected: it has its reply, and needs no second one for being slow.
 */
export function discardBody(request: IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), maxMs).unref();
  request.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > maxBytes) request.destroy();
  });
  // After the end of the body, or when the client has disconnected.
  request.once('close', () => clearTimeout(timer));
  // An injected request has none.
  if (request.socket instanceof Socket) closeAfterBody(request, request.socket);
}

/** Node calls `destroySoon` after the last reply of a connection, such as the reply to a client that sends `Connection: close`. */
function closeAfterBody(request: IncomingMessage, socket: Socket): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.closed) destroySoon();
    else {
      socket.end();
      request.once('close', destroySoon);
    }
  };
}
