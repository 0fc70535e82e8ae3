import { HalyardError } from '@halyard/contracts';
import { networkOf } from '@halyard/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../server-options.ts';
import { answerNotFound } from '../endpoints/send-failure.ts';
import { verifiedUser } from './access-hook.ts';

/** @throws HalyardError (`RATE_LIMITED`) */
type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Limits the requests of each caller on all routes that are added to `app` from here on, and on unknown paths. The access control runs
 * before, so a request that it refuses must be counted with the returned function.
 */
export async function limitRates(app: FastifyInstance, { max, windowMs = 60_000 }: RateLimit): Promise<CountRequest> {
  const { default: rateLimit } = await import('@fastify/rate-limit');
  await app.register(rateLimit, {
    max,
    timeWindow: windowMs,
    keyGenerator: keyOf,
    errorResponseBuilder: () =>
      new HalyardError('rate-limited', 'RATE_LIMITED', `Too many requests: ${max} are allowed in ${windowMs} ms`),
  });
  const limit = app.rateLimit();
  app.setNotFoundHandler({ preHandler: limit }, answerNotFound);
  return async (request, reply) => {
    await limit.call(app, request, reply);
  };
}

/** A verified user is counted across all addresses. */
function keyOf(request: FastifyRequest): string {
  const user = verifiedUser(request);
  const subject = user?.id ?? user?.sub;
  return subject === undefined ? `address:${networkOf(request.ip)}` : `user:${subject}`;
}
