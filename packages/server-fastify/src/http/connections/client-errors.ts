import { METHODS, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyServerOptions } from 'fastify';
import { type Failure, failureBody, invalidRequest } from '../errors/to-failure.ts';

/** How long a client may take to read the reply to a refused request. */
const closingMs = 1_000;

type ClientErrorHandler = NonNullable<FastifyServerOptions['clientErrorHandler']>;
type ClientError = Parameters<ClientErrorHandler>[0] & { readonly bytesParsed?: number };

/**
 * Fastify's `clientErrorHandler`: replies to invalid HTTP with the envelope of any other failure.
 */
export function replyToClientErrors(nextId: () => string): ClientErrorHandler {
  return (error, socket) => {
    // A client that sends more after its error causes another one.
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, toFailure(error), nextId());
  };
}

/** Sends the envelope, too, to requests that Node would refuse on its own or hang up on. */
export function replyToOddRequests(server: Server, nextId: () => string): void {
  server.on('connect', (_request, socket) =>
    refuse(socket, invalidRequest('ROUTE_NOT_FOUND', 'This server is not a proxy', 404), nextId()),
  );
  // Ignores `Expect` with anything but `100-continue`.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function toFailure({ bytesParsed, code, rawPacket }: ClientError): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return invalidRequest('REQUEST_TIMEOUT', 'request took too long to arrive', 408);
  if (code !== 'HPE_HEADER_OVERFLOW') return invalidRequest('INVALID_REQUEST', 'request is not valid HTTP');
  return isInRequestLine(Buffer.isBuffer(rawPacket) ? rawPacket.subarray(0, bytesParsed) : undefined)
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
