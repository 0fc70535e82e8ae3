import { UnavailableError } from '@halyard/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Overload } from '../../admission/overload.ts';
import { invalidRequest, shuttingDown } from '../../errors/to-failure.ts';
import type { RunningCalls } from '../../lifecycle/running-calls.ts';
import { sendFailure } from '../endpoints/send-failure.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Checks every request before any other hook, and sets `x-request-id`. */
export function guardRequests(urlBytes: number): Hook {
  return (request, reply, done) => {
    const { headers, httpVersion, url } = request.raw;
    reply.header('x-request-id', request.id);
    if (url !== undefined && url.length > urlBytes) {
      sendFailure(reply, invalidRequest('URL_TOO_LONG', `url is longer than ${urlBytes} bytes`, 414));
    } else if (headers.host === undefined && httpVersion === '1.1') {
      sendFailure(reply, invalidRequest('INVALID_REQUEST', 'request has no host header'));
    } else done();
  };
}

/** Refuses new work while the server shuts down or is overloaded. */
export function refuseWork(work: RunningCalls, overload: Overload): Hook {
  return (_request, reply, done) => {
    if (work.isDraining) {
      reply.header('connection', 'close');
      done(shuttingDown());
    } else if (overload.isOverloaded) {
      done(new UnavailableError('OVERLOADED', 'The server has more requests than it can answer'));
    } else done();
  };
}
