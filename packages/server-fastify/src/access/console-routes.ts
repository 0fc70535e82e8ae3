import type { Tier } from '../define/define-route.ts';

/** A route or channel, as far as access goes. */
export interface Tiered {
  /** `WS` for a channel. */
  readonly method: string;
  readonly url: string;
  readonly tier: Tier;
}

/** Console routes of the API that no endpoint serves yet. They are closed before they are there. */
const comingConsoleRoutes: readonly string[] = [
  'GET /agents/:id/history',
  '/observability/*',
  'GET /api/logs',
  'POST /setup-observability',
  'GET /updates',
  'POST /updates',
  'POST /updates/:packageName',
  'WS /ws/logs',
  'WS /ws/observability/**',
];

/** What needs the console key unless an app says otherwise: what the endpoints say of themselves, and what is to come. */
export function consoleRoutesOf(routes: readonly Tiered[]): readonly string[] {
  return [...new Set([...routesOf(routes, 'console'), ...comingConsoleRoutes])];
}

/** What needs nothing by what the endpoints say of themselves: health. */
export function publicRoutesOf(routes: readonly Tiered[]): readonly string[] {
  return routesOf(routes, 'public');
}

function routesOf(routes: readonly Tiered[], tier: Tiered['tier']): readonly string[] {
  return routes.filter((route) => route.tier === tier).map(({ method, url }) => `${method} ${url}`);
}
