import type { FastifyRequest } from 'fastify';
import { type ForwardedAddress, isUrlPath } from '../runtime/services/public-address.ts';

/**
 * The address under which a trusted proxy was called; undefined for requests that no trusted proxy
 * has passed on. Fastify reads the headers of proxies that `trustProxy` names, and adds the clients
 * in `X-Forwarded-For` to `ips` only if such a proxy sent it.
 */
export function forwardedAddress(request: FastifyRequest): ForwardedAddress | undefined {
  const { headers, host, ips, protocol } = request;
  if (ips === undefined || ips.length < 2) return undefined;
  return { origin: toOrigin(protocol, host), path: toPath(headers['x-forwarded-prefix']) };
}

export function toOrigin(protocol: string, host: string): string | undefined {
  if (!/^https?$/.test(protocol) || !hostPattern.test(host)) return undefined;
  return URL.parse(`${protocol}://${host}`)?.origin;
}

/** Anything but a plain path is ignored: it becomes a part of links. */
function toPath(prefix: string | readonly string[] | undefined): string {
  const path = typeof prefix === 'string' ? prefix.replace(/\/$/, '') : '';
  return isUrlPath(path) ? path : '';
}

/** A host name, an IPv4 address or an IPv6 address in brackets, with or without a port. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
