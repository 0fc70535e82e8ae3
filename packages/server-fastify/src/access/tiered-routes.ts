import type { Endpoint } from '../define/define-route.ts';
import { explorerPage } from '../routes/explorer.ts';
import type { Tiered } from './console-routes.ts';

/** All that a server serves, with its tiers: the explorer is there although its own plugin serves it. */
export function tieredRoutes(
  endpoints: readonly Pick<Endpoint, 'method' | 'tier' | 'url'>[],
  channels: readonly Pick<Endpoint, 'tier' | 'url'>[],
): readonly Tiered[] {
  return [...endpoints, explorerPage, ...channels.map(({ tier, url }) => ({ method: 'WS', tier, url }))];
}
