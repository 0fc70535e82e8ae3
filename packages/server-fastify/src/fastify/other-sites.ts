import { HalyardError } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFromAnotherSite } from '../access/another-site.ts';
import { toFailure } from '../errors/to-failure.ts';
import { hasCredential } from './access-hook.ts';
import type { UserOf } from './endpoint-call.ts';
import { sendFailure } from './send-failure.ts';

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests of other sites' pages that may change something, on all routes that are added to `app` from here on. Without access
 * control any page that a developer visits could otherwise send them to the local server: browsers send simple requests without asking.
 */
export function refuseChangesOfOtherSites(app: FastifyInstance, userOf?: UserOf): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isChange = !reading.has(request.method) && userOf?.(request) === undefined;
    if (!isChange || !isOfRefusedSite(request, reply)) done();
    // Sent here, because the app's own error handler may not know this error.
    else sendFailure(reply, toFailure(originNotAllowed('may not change anything on this server'), request.id));
  });
}

/** Whether a page of another site sent the request, and the option `cors` does not allow it. `@fastify/cors` must have run before. */
export function isOfRefusedSite({ headers, host }: FastifyRequest, reply: FastifyReply): boolean {
  if (!isFromAnotherSite(headers, host)) return false;
  const allowed = reply.getHeader('access-control-allow-origin');
  return allowed !== '*' && (allowed === undefined || allowed !== headers.origin);
}

export function originNotAllowed(rule: string): HalyardError {
  return new HalyardError(
    'forbidden',
    'ORIGIN_NOT_ALLOWED',
    `Pages of other origins ${rule}. The option \`cors\` allows origins`,
  );
}

/**
 * The checks that the Model Context Protocol requires of its HTTP transport. `Origin` is checked with a credential too. `Host` is checked
 * where DNS rebinding could use it: on the local interface, without a credential and without a proxy.
 */
export function checkMcpRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  if (isOfRefusedSite(request, reply)) done(originNotAllowed('may not use this MCP server'));
  else if (!hasCredential(request) && isReboundHost(request)) {
    const message = 'A local MCP server must be addressed as localhost. Behind a proxy, set the option `trustProxy`';
    done(new HalyardError('forbidden', 'HOST_NOT_ALLOWED', message));
  } else done();
}

/** Whether a request reached the local interface by a name that is not local. Only `trustProxy` sets `ips`. */
function isReboundHost({ hostname, ips, socket }: FastifyRequest): boolean {
  return ips === undefined && isLoopback(socket.localAddress) && !isLocalName(hostname);
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}

function isLocalName(name: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(name);
}
