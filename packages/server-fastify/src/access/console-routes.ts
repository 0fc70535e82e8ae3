import type { Tier } from '../define/define-route.ts';

/** A route or channel, as far as access goes. */
export interface Tiered {
  /** `WS` for a channel. */
  readonly method: string;
  readonly url: string;
  readonly tier: Tier;
}

/** Below these everything is the console's, also what an app adds. */
const consolesOwn: readonly string[] = ['/observability/*', 'WS /ws/observability/**'];

/** What needs the console key unless an app says otherwise: what the endpoints say of themselves, and what is below the console's paths. */
export function consoleRoutesOf(routes: readonly Tiered[]): readonly string[] {
  return [...new Set([...routesOf(routes, 'console'), ...consolesOwn])];
}

/** What needs nothing by what the endpoints say of themselves: health. */
export function publicRoutesOf(routes: readonly Tiered[]): readonly string[] {
  return routesOf(routes, 'public');
}

function routesOf(routes: readonly Tiered[], tier: Tiered['tier']): readonly string[] {
  return routes.filter((route) => route.tier === tier).map(({ method, url }) => `${method} ${url}`);
}
