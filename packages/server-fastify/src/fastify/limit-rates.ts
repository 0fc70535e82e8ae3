import { HalyardError } from '@halyard/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RateLimit } from '../server-options.ts';
import { verifiedUser } from './access-hook.ts';
import { answerNotFound } from './send-failure.ts';

/** Limits the requests of each caller on all routes that are added to `app` from here on, and on unknown paths. Call it after `guardAccess`. */
export async function limitRates(app: FastifyInstance, { max, windowMs = 60_000 }: RateLimit): Promise<void> {
  const { default: rateLimit } = await import('@fastify/rate-limit');
  await app.register(rateLimit, {
    max,
    timeWindow: windowMs,
    keyGenerator: keyOf,
    errorResponseBuilder: () =>
      new HalyardError('rate-limited', 'RATE_LIMITED', `Too many requests: ${max} are allowed in ${windowMs} ms`),
  });
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, answerNotFound);
}

/** A verified user is counted across all addresses. */
function keyOf(request: FastifyRequest): string {
  const user = verifiedUser(request);
  const subject = user?.id ?? user?.sub;
  return subject === undefined ? `address:${request.ip}` : `user:${subject}`;
}
