import { HalyardError } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFromAnotherSite } from '../../access/another-site.ts';
import type { UserOf } from '../endpoints/endpoint-call.ts';
import { sendFailure } from '../endpoints/send-failure.ts';
import { toFailure } from '../errors/to-failure.ts';

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests of other sites' pages that may change something, on all routes that are added to
 * `app` from here on. Without access control any page that a developer visits could otherwise send
 * them to the local server: browsers send simple requests without asking.
 */
export function refuseChangesOfOtherSites(app: FastifyInstance, userOf?: UserOf): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isChangeOfRefusedSite(request, reply) || userOf?.(request) !== undefined) done();
    else refuseChange(request, reply);
  });
}

/**
 * Whether a request may change something, and a page of another site sent it that the option `cors`
 * does not allow.
 */
export function isChangeOfRefusedSite(request: FastifyRequest, reply: FastifyReply): boolean {
  return !reading.has(request.method) && isOfRefusedSite(request, reply);
}

/** Sends the reply itself, because the app's own error handler may not know this error. */
export function refuseChange(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendFailure(reply, toFailure(originNotAllowed('may not change anything on this server'), request.id));
}

/**
 * Whether a page of another site sent the request, and the option `cors` does not allow it.
 * `@fastify/cors` must have run before.
 */
export function isOfRefusedSite({ headers, host }: FastifyRequest, reply: FastifyReply): boolean {
  if (!isFromAnotherSite(headers, host)) return false;
  const allowed = reply.getHeader('access-control-allow-origin');
  return allowed !== '*' && (allowed === undefined || allowed !== headers.origin);
}

/** @param advice a further sentence, without a full stop at its end. */
export function originNotAllowed(rule: string, advice?: string): HalyardError {
  return new HalyardError(
    'forbidden',
    'ORIGIN_NOT_ALLOWED',
    `Pages of other origins ${rule}. The option \`cors\` allows origins${advice === undefined ? '' : `. ${advice}`}`,
  );
}
