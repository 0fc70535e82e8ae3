import type { FastifyRequest } from 'fastify';
import type { ForwardedAddress } from '../services/public-address.ts';

/**
 * The address under which a trusted proxy was called; undefined for requests that no trusted proxy has passed on. Fastify reads the
 * headers of proxies that `trustProxy` names, and adds the clients in `X-Forwarded-For` to `ips` only if such a proxy sent it.
 */
export function forwardedAddress(request: FastifyRequest): ForwardedAddress | undefined {
  const { host, ips, protocol } = request;
  if (ips === undefined || ips.length < 2) return undefined;
  return { origin: originOf(protocol, host) };
}

function originOf(protocol: string, host: string): string | undefined {
  if (!/^https?$/.test(protocol) || !hostPattern.test(host)) return undefined;
  return URL.parse(`${protocol}://${host}`)?.origin;
}

/** A host name, an IPv4 address or an IPv6 address in brackets, with or without a port. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
