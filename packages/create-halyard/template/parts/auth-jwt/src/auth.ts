import { jwtAuth } from '@halyard/auth-jwt';
import type { ServerOptions } from '@halyard/server-fastify';

/** The claims that tokens must contain: their audience and their issuer. */
export const claims = { audience: '{{name}}', issuer: '{{name}}' };

/**
 * Accepts tokens that are signed with `JWT_SECRET`. With an identity provider, use its `jwksUri`
 * instead.
 */
export function createAuth(): NonNullable<ServerOptions['auth']> {
  return { provider: jwtAuth({ verifyOptions: claims }) };
}
