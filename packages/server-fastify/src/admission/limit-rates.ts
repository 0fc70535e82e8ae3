import { HalyardError, type User } from '@halyard/contracts';
import { networkForAddress } from '@halyard/core/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../server-options.ts';

/** @throws HalyardError (`RATE_LIMITED`) */
type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface RateLimitParts {
  readonly sendNotFound: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  readonly userOf: (request: FastifyRequest) => User | undefined;
}

/**
 * Limits the requests of each caller on all routes that are added to `app` from here on, and on
 * unknown paths. The access control runs before, so a request that it refuses must be counted with
 * the returned function. A batch of messages counts once for each.
 */
export async function limitRates(
  app: FastifyInstance,
  { max, windowMs = 60_000 }: RateLimit,
  { sendNotFound, userOf }: RateLimitParts,
): Promise<CountRequest> {
  const { default: rateLimit } = await import('@fastify/rate-limit');
  const tooMany = (): HalyardError =>
    new HalyardError('rate-limited', 'RATE_LIMITED', `Too many requests: ${max} are allowed in ${windowMs} ms`);
  await app.register(rateLimit, {
    max,
    timeWindow: windowMs,
    keyGenerator: (request) => toKey(request, userOf(request)),
    errorResponseBuilder: tooMany,
  });
  const limit = app.rateLimit();
  const countOne = app.createRateLimit();
  app.addHook('preHandler', async (request, reply) => {
    // The request itself has counted for the first message.
    for (let others = messagesIn(request) - 1; others > 0; others -= 1) {
      const counted = await countOne(request);
      if (counted.isAllowed || !counted.isExceeded) continue;
      reply.header('retry-after', counted.ttlInSeconds);
      throw tooMany();
    }
  });
  app.setNotFoundHandler({ preHandler: limit }, sendNotFound);
  return async (request, reply) => {
    await limit.call(app, request, reply);
  };
}

const countsEach = Symbol('halyard.countsEach');

/** The config of a route whose body may contain several messages: each counts as a request. */
export function countsMessages(): object {
  return { [countsEach]: true };
}

function messagesIn({ body, routeOptions }: FastifyRequest): number {
  const hasMessages = Reflect.has(routeOptions.config, countsEach);
  return hasMessages && Array.isArray(body) ? body.length : 1;
}

/** A verified user is counted across all addresses. */
function toKey(request: FastifyRequest, user: User | undefined): string {
  const subject = user?.id ?? user?.sub;
  return subject === undefined ? `address:${networkForAddress(request.ip)}` : `user:${subject}`;
}
