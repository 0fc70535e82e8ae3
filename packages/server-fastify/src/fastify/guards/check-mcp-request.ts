import { HalyardError } from '@halyard/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasCredential } from './access-hook.ts';
import { isOfRefusedSite, originNotAllowed } from './other-sites.ts';

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
