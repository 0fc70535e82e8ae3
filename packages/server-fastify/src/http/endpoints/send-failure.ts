import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Failure,
  failureBody,
  invalidRequest,
  loggedError,
  retryAfterSeconds,
  failureOfApp,
  toFailure,
} from '../errors/to-failure.ts';
import { withBodyLimit } from './body-limit.ts';

export const jsonType = 'application/json; charset=utf-8';

/** Sends the envelope of a failure. Node discards a body that has not arrived yet. */
export function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  reply.header('content-type', jsonType).header('x-request-id', reply.request.id).header('x-error-code', failure.code);
  // A rate limiter may have set the header.
  const isNeeded = isTemporary(failure) && !reply.hasHeader('retry-after');
  const retryAfter = failure.retryAfter ?? (isNeeded ? retryAfterSeconds : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (failure.scheme !== undefined) reply.header('www-authenticate', failure.scheme);
  reply.code(failure.status);
  const body = failureBody(failure);
  if (!isStillSending(reply.request) || !closesConnection(reply)) return reply.send(body);
  // A client that is still sending when its connection closes often loses the reply.
  reply.request.raw.once('close', () => void reply.send(body)).resume();
  return reply;
}

function isTemporary({ status }: Failure): boolean {
  return status === 429 || status === 503;
}

/** Whether Node closes the connection after the reply. */
function closesConnection({ raw }: FastifyReply): boolean {
  return !raw.shouldKeepAlive || raw.getHeader('connection') === 'close';
}

function isStillSending({ headers, raw }: FastifyRequest): boolean {
  return !raw.complete && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
}

/** Fastify's error handler: replies with the failure of whatever was thrown. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = withBodyLimit(failureOfApp(error) ?? toFailure(error, request.id), request);
  logFailure(error, failure, request, reply);
  // Set by Fastify. Node would close the connection while the client is sending.
  if (failure.status === 413 && !request.raw.complete) reply.removeHeader('connection');
  return sendFailure(reply, failure);
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split(/[?#]/, 1)[0] ?? '';
  return sendFailure(reply, invalidRequest('ROUTE_NOT_FOUND', `No route for ${request.method} ${path}`, 404));
}

/**
 * Logs faults of the server with their cause. A failure after the client has disconnected is logged
 * at level debug.
 */
export function logFailure(error: unknown, failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
  const { code, isServerFault, status } = failure;
  if (!isServerFault) return;
  const fields = {
    ...loggedError(error, failure),
    code,
    status,
    // A child logger of the request adds the id itself.
    ...(request.log === request.server.log && { requestId: request.id }),
    method: request.method,
    route: request.routeOptions.url,
  };
  if (reply.raw.destroyed && !reply.raw.writableFinished)
    request.log.debug(fields, 'the request failed after the client had disconnected');
  else request.log.error(fields, 'the request failed');
}
