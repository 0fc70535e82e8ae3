import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Failure, failureBody, invalidRequest } from '../errors/to-failure.ts';
import { http } from '../node-http.ts';

/** How long a client may take to read why its request was refused. */
const lastWordsMs = 1_000;

/** Answers what is not HTTP enough to become a request, in the envelope like everything else. */
export function answerClientErrors(app: FastifyInstance, nextId: () => string): void {
  const server = app.server;
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasAnswerUnderway(socket)) socket.destroy();
    else refuse(socket, failureOf(error), nextId());
  });
  server.on('connect', (_request, socket) =>
    refuse(socket, invalidRequest('ROUTE_NOT_FOUND', 'This server is no proxy', 404), nextId()),
  );
  ignoreExpectations(server);
}

function failureOf({
  bytesParsed,
  code,
  rawPacket,
}: {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return invalidRequest('REQUEST_TIMEOUT', 'request took too long to arrive', 408);
  if (code !== 'HPE_HEADER_OVERFLOW') return invalidRequest('INVALID_REQUEST', 'request is not valid HTTP');
  return isInRequestLine(rawPacket?.subarray(0, bytesParsed))
    ? invalidRequest('URL_TOO_LONG', 'url is too long', 414)
    : invalidRequest('HEADERS_TOO_LARGE', 'headers are too large', 431);
}

function isInRequestLine(parsed: Buffer | undefined): boolean {
  if (parsed === undefined || parsed.includes('\n')) return false;
  return http.METHODS.includes(parsed.subarray(0, 16).toString('latin1').split(' ', 1)[0] ?? '');
}

/** Answers on a connection that no HTTP server looks after any more, and ends it. */
export function refuse(socket: Duplex, failure: Failure, requestId: string): void {
  const { code, status } = failure;
  const body = failureBody(failure);
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `x-error-code: ${code}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  hangUp(socket);
}

/** Ends a connection after what was written to it. */
export function hangUp(socket: Duplex): void {
  socket.on('error', () => {});
  socket.resume();
  socket.end();
  // Destroyed at once, a client that is still sending would lose the answer.
  const timer = setTimeout(() => socket.destroy(), lastWordsMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Another answer on this connection is half sent: words in its middle would be taken for part of it. */
function hasAnswerUnderway(socket: object): boolean {
  // Node keeps the answer that is being sent here, and looks at it for its own answer to such errors.
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null && 'headersSent' in answer && answer.headersSent === true;
}

/** `Expect` with anything but `100-continue` would get Node's own bare 417: it is taken as if it were not there. */
function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
