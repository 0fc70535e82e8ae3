import { METHODS, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Failure, failureBody, invalidRequest } from '../../errors/to-failure.ts';

/** How long a client may take to read the reply to a refused request. */
const closingMs = 1_000;

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Replies to invalid HTTP with the same envelope as to any other request. */
export function answerClientErrors(app: FastifyInstance, nextId: () => string): void {
  const server = app.server;
  server.removeAllListeners('clientError');
  const failed = new WeakSet<Duplex>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, reply) => latest.set(socket, reply));
  const fail = (error: ClientError, socket: Duplex): void => {
    // What the client sends after an error is one again.
    if (failed.has(socket)) return;
    failed.add(socket);
    afterReplies(socket, () => {
      if (currentReply(socket)?.headersSent === true) socket.destroy();
      else if (socket.writable) refuse(socket, failureOf(error), nextId());
    });
  };
  server.on('clientError', (error: ClientError, socket) => {
    const reply = latest.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (isTimeout(error) && reply?.socket === null && !reply.req.complete)
      whenLate(reply, server.requestTimeout, () => fail(error, socket));
    else fail(error, socket);
  });
  server.on('connect', (_request, socket) => {
    // Node has removed its own listener.
    socket.on('error', () => {});
    const failure = invalidRequest('ROUTE_NOT_FOUND', 'This server is not a proxy', 404);
    afterReplies(socket, () => refuse(socket, failure, nextId()));
  });
  ignoreExpectations(server);
}

/**
 * Calls `then` if the body of a waiting request has not arrived in this time after the replies to the requests before it. The server
 * reads little of it before.
 */
function whenLate(reply: ServerResponse, ms: number, then: () => void): void {
  reply.once('socket', () => {
    const timer = setTimeout(() => !reply.req.complete && then(), ms).unref();
    reply.once('close', () => clearTimeout(timer));
  });
}

function isTimeout({ code }: ClientError): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

function failureOf(error: ClientError): Failure {
  const { bytesParsed, code, rawPacket } = error;
  if (isTimeout(error)) return invalidRequest('REQUEST_TIMEOUT', 'request took too long to arrive', 408);
  if (code !== 'HPE_HEADER_OVERFLOW') return invalidRequest('INVALID_REQUEST', 'request is not valid HTTP');
  return isInRequestLine(rawPacket?.subarray(0, bytesParsed))
    ? invalidRequest('URL_TOO_LONG', 'url is too long', 414)
    : invalidRequest('HEADERS_TOO_LARGE', 'headers are too large', 431);
}

function isInRequestLine(parsed: Buffer | undefined): boolean {
  if (parsed === undefined || parsed.includes('\n')) return false;
  return METHODS.includes(parsed.subarray(0, 16).toString('latin1').split(' ', 1)[0] ?? '');
}

/** Replies on a connection that the HTTP server no longer handles, and closes it. */
export function refuse(socket: Duplex, failure: Failure, requestId: string): void {
  const { code, status } = failure;
  const body = failureBody(failure);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `x-error-code: ${code}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  hangUp(socket);
}

/** Closes a connection after the written data was sent. */
export function hangUp(socket: Duplex): void {
  socket.on('error', () => {});
  socket.resume();
  socket.end();
  // A client that is still sending would lose the reply if the socket were destroyed at once.
  const timer = setTimeout(() => socket.destroy(), closingMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** The reply that is being sent, or that is sent next. Node stores it on the connection, and checks it for its own error replies too. */
export function currentReply(socket: object): ServerResponse | undefined {
  const reply: unknown = Reflect.get(socket, '_httpMessage');
  return reply instanceof ServerResponse ? reply : undefined;
}

/** Calls `then` once all requests of the connection that have arrived completely are answered. */
function afterReplies(socket: Duplex, then: () => void): void {
  const reply = currentReply(socket);
  if (reply?.req.complete !== true) then();
  else reply.once('finish', () => afterReplies(socket, then));
}

/** Ignores `Expect` with anything but `100-continue`, which Node would answer with a bare 417. */
function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
