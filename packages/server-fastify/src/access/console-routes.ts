import type { Tier } from './tier.ts';

/** The fields of a route or channel that access control needs. */
export interface Tiered {
  /** `WS` for a channel. */
  readonly method: string;
  readonly url: string;
  readonly tier: Tier;
}

/** All routes below these paths need the console key, including routes that the app adds. */
const consolePaths: readonly string[] = ['/observability/*', 'WS /ws/observability/**'];

/**
 * The routes that need the console key by default: those of tier `console`, and all below the
 * console's paths.
 */
export function listConsoleRoutes(routes: readonly Tiered[]): readonly string[] {
  return [...new Set([...listRoutes(routes, 'console'), ...consolePaths])];
}

/** The routes of tier `operator`. */
export function listOperatorRoutes(routes: readonly Tiered[]): readonly string[] {
  return listRoutes(routes, 'operator');
}

/** The routes of tier `user-or-operator`. */
export function listSharedRoutes(routes: readonly Tiered[]): readonly string[] {
  return listRoutes(routes, 'user-or-operator');
}

/** The routes of tier `public`. */
export function listPublicRoutes(routes: readonly Tiered[]): readonly string[] {
  return listRoutes(routes, 'public');
}

function listRoutes(routes: readonly Tiered[], tier: Tiered['tier']): readonly string[] {
  return routes.filter((route) => route.tier === tier).map(({ method, url }) => `${method} ${url}`);
}
