import type { FastifyRequest } from 'fastify';
import type { ForwardedAddress } from '../runtime/services/public-address.ts';
import { forwardedAddress, toOrigin } from './forwarded-address.ts';
import { LocalRequests } from './guards/local-requests.ts';

const local = new LocalRequests();

/**
 * The address by which a trusted proxy was called; else the local name by which a program on this
 * computer has called the server. OAuth clients compare the address of an MCP server in its
 * metadata with their own, so `localhost` and `127.0.0.1` are not the same to them (RFC 9728, 3.3).
 * Undefined for all other requests: anyone can send any `Host`.
 */
export function requestedAddress(request: FastifyRequest): ForwardedAddress | undefined {
  return (
    forwardedAddress(request) ??
    (local.has(request) ? { origin: toOrigin(request.protocol, request.host), path: '' } : undefined)
  );
}
