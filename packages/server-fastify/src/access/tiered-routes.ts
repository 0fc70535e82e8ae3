import type { Endpoint } from '../define/define-route.ts';
import { explorerPage } from '../routes/explorer.ts';
import type { Tiered } from './console-routes.ts';

/** All routes and channels of a server with their tiers, including the API explorer, which a plugin serves. */
export function tieredRoutes(
  endpoints: readonly Pick<Endpoint, 'method' | 'tier' | 'url'>[],
  channels: readonly Pick<Endpoint, 'tier' | 'url'>[],
): readonly Tiered[] {
  return [...endpoints, explorerPage, ...channels.map(({ tier, url }) => ({ method: 'WS', tier, url }))];
}
