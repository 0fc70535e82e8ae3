import { AsyncResource } from 'node:async_hooks';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { TurnByTurn } from './turn-by-turn.ts';

/** How many requests of a connection may wait before the server reads no more of it. That its client has left is then noticed with the next reply. */
const maxWaiting = 10;
/** What is read is parsed in parts of at least this size, so that many line ends in a body do not make many parts. */
const minPartBytes = 64;
const endOfHeaders = '\r\n\r\n';

/**
 * Handles requests that a client sends on one connection without waiting for replies one after the other, as RFC 9112, section 9.3.2,
 * requires of those that change something. Of all connections together, one that has waited is handled in each turn of the event loop: many
 * can arrive at once, and would delay all other callers.
 */
export function handlePipelinedRequestsInOrder(server: Server): void {
  const connections = new WeakMap<Socket, Connection>();
  const turns = new TurnByTurn();
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('connection', (socket) => connections.set(socket, new Connection(socket)));

  for (const handle of handlers)
    server.on('request', (request, response) => {
      // Node gives the socket to a reply when the reply before it has been sent.
      if (response.socket !== null) {
        handle(request, response);
        return;
      }
      const connection = connections.get(request.socket);
      connection?.wait();
      // In the async context in which it arrived, not in that of the request before it.
      const begin = AsyncResource.bind(() => {
        connection?.begin();
        if (request.socket.writable) handle(request, response);
        return undefined;
      });
      response.once('socket', () => turns.add(begin));
    });
}

/**
 * Gives Node's parser what is read from a socket in parts that end with the headers of a request, and nothing while many requests wait. A
 * read of 64 KiB can contain 3 600 requests: at once, they would take 11 MB and delay all other callers.
 */
class Connection {
  readonly #push: (part: unknown) => boolean;
  readonly #unparsed: unknown[] = [];
  #waiting = 0;

  constructor(socket: Socket) {
    this.#push = socket.push.bind(socket);
    socket.push = (read: unknown) => {
      this.#unparsed.push(read);
      return this.#parse();
    };
    // Without a listener of ours, the parser would read the socket itself.
    const listener = (): void => {};
    socket.on('data', listener).off('data', listener);
  }

  /** A request has arrived that waits. */
  wait(): void {
    this.#waiting += 1;
  }

  /** A request that has waited is handled. */
  begin(): void {
    this.#waiting -= 1;
    this.#parse();
  }

  /** @returns whether the socket should be read. */
  #parse(): boolean {
    let wantsMore = true;
    while (this.#unparsed.length > 0) {
      if (this.#waiting >= maxWaiting) return false;
      const [part, rest] = split(this.#unparsed.shift());
      if (rest !== undefined) this.#unparsed.unshift(rest);
      wantsMore = this.#push(part);
    }
    return wantsMore;
  }
}

/** The first part, and the rest. The end of the data is null. */
function split(read: unknown): readonly [part: unknown, rest?: Buffer] {
  if (!Buffer.isBuffer(read)) return [read];
  const found = read.indexOf(endOfHeaders, minPartBytes);
  const end = found === -1 ? read.length : found + endOfHeaders.length;
  return end < read.length ? [read.subarray(0, end), read.subarray(end)] : [read];
}
