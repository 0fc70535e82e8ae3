import { HalyardError } from '@halyard/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasCredential } from './access-hook.ts';
import type { LocalRequests } from './local-requests.ts';
import { isOfRefusedSite, originNotAllowed } from './other-sites.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * The checks that the Model Context Protocol requires of its HTTP transport, in production and with
 * access control too. `Origin` is checked with a credential too. `Host` is checked where DNS
 * rebinding could use it: on the local interface, without a credential and without a proxy. Only
 * `trustProxy` sets `ips`.
 */
export function checkMcpRequest(local: LocalRequests): Hook {
  return (request, reply, done) => {
    if (isOfRefusedSite(request, reply)) done(originNotAllowed('may not use this MCP server'));
    else if (!hasCredential(request) && request.ips === undefined && local.isRebound(request)) {
      const message =
        'A local MCP server must be addressed as localhost or by a name in `allowedHosts`. Behind a proxy, set the option `trustProxy`';
      done(new HalyardError('forbidden', 'HOST_NOT_ALLOWED', message));
    } else done();
  };
}
