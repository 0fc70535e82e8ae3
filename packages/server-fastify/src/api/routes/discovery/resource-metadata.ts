import { type AuthProvider, HalyardError } from '@halyard/contracts';
import type { PublicAddress } from '../../../runtime/services/public-address.ts';
import { defineExchange } from '../../define/define-exchange.ts';
import type { Site } from '../../services.ts';
import { McpServerParams } from './schemas.ts';

const path = '/.well-known/oauth-protected-resource';
const common = { method: 'GET', tier: 'public', tag: 'Discovery', failures: [404] } as const;

/**
 * The metadata of protected resources (RFC 9728), by which MCP clients find where their users sign
 * in. They belong to the protocol of `/mcp/<id>`, so they have its guards, and the API document has
 * neither.
 */
export const resourceMetadataRoutes = [
  defineExchange({
    ...common,
    url: path,
    operationId: 'getResourceMetadata',
    summary: 'Get where users of this server sign in',
    handler: async ({ forwarded }, { site }) => toMetadata(site.addressFor(forwarded).url, site),
  }),
  defineExchange({
    ...common,
    url: `${path}/mcp/:serverId`,
    operationId: 'getMcpResourceMetadata',
    summary: 'Get where users of an MCP server sign in',
    params: McpServerParams,
    // The same for an unknown server: the reply is public, and must not tell which ones there are.
    handler: async ({ forwarded, params }, { site }) =>
      toMetadata(`${site.addressFor(forwarded).url}/mcp/${params.serverId}`, site),
  }),
];

/** The URL of the metadata of an MCP server. */
export function metadataUrl(serverId: string, { url }: Pick<PublicAddress, 'url'>): string {
  return `${url}${path}/mcp/${encodeURIComponent(serverId)}`;
}

/** The issuers of a provider's tokens that are URLs. */
export function listAuthorizationServers(provider: AuthProvider | undefined): readonly string[] {
  return (provider?.issuers ?? []).filter((issuer) => ['http:', 'https:'].includes(URL.parse(issuer)?.protocol ?? ''));
}

function toMetadata(resource: string, { authorizationServers }: Site): Response {
  if (authorizationServers.length === 0)
    throw new HalyardError('not-found', 'RESOURCE_METADATA_NOT_FOUND', 'The auth provider names no issuer of tokens');
  const metadata = { resource, authorization_servers: authorizationServers, bearer_methods_supported: ['header'] };
  return Response.json(metadata);
}
