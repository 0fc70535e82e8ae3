import { HalyardError } from '@halyard/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RateLimit } from '../server-options.ts';
import { verifiedUser } from './access-hook.ts';
import { answerNotFound } from './send-failure.ts';

/** Limits how often a caller may ask, of all routes that `app` gets from here on, and of paths without one. To be called after access is guarded. */
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

/** Who is verified counts as one, wherever they come from. */
function keyOf(request: FastifyRequest): string {
  const user = verifiedUser(request);
  const subject = user?.id ?? user?.sub;
  return subject === undefined ? `address:${request.ip}` : `user:${subject}`;
}
