import { HalyardError, isProduction } from '@halyard/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { healthPages } from '../../api/routes/health/health.ts';
import { sendFailure } from '../endpoints/send-failure.ts';
import { toFailure } from '../errors/to-failure.ts';
import { hangUpAfterReply, resolvedRoute } from './access-hook.ts';
import type { LocalRequests } from './local-requests.ts';

const healthUrls: ReadonlySet<string | undefined> = new Set(healthPages.map(({ url }) => url));

/**
 * Outside production, refuses requests that do not come from this computer, on all routes that are
 * added to `app` from here on, and on unknown paths, except health checks. For servers without
 * access control.
 */
export function refuseRemoteRequests(app: FastifyInstance, local: LocalRequests, prefix: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isProduction() || local.has(request) || local.isPassedOn(request) || isHealthCheck(request, prefix)) done();
    else {
      hangUpAfterReply(request, reply);
      // Sent here, because the app's own error handler may not know this error.
      sendFailure(reply, toFailure(hostNotAllowed(), request.id));
    }
  });
}

function isHealthCheck({ routeOptions }: FastifyRequest, prefix: string): boolean {
  const { isBelowPrefix, url } = resolvedRoute('GET', routeOptions.url, prefix);
  return isBelowPrefix && healthUrls.has(url);
}

function hostNotAllowed(): HalyardError {
  return new HalyardError(
    'forbidden',
    'HOST_NOT_ALLOWED',
    'In development, a server without the option `auth` answers only requests to localhost from the same computer, not through a proxy: set `auth` or NODE_ENV=production to serve others, or list a further name of this computer in `allowedHosts`',
  );
}
