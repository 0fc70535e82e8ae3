import type { onSendHookHandler } from 'fastify';
import { metadataUrl } from '../../api/routes/discovery/resource-metadata.ts';
import type { Site } from '../../api/services.ts';
import { requestedAddress } from '../requested-address.ts';

/** Tells MCP clients that need a token where they learn how to get one, as RFC 9728 has it. */
export function nameMetadata(site: Site): onSendHookHandler {
  return (request, reply, payload, done) => {
    if (site.authorizationServers.length > 0 && reply.getHeader('www-authenticate') === 'Bearer') {
      const { serverId } = request.params as { readonly serverId: string };
      reply.header(
        'www-authenticate',
        `Bearer resource_metadata="${metadataUrl(serverId, site.addressFor(requestedAddress(request)))}"`,
      );
    }
    done(null, payload);
  };
}
