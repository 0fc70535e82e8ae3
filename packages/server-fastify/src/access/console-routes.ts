import type { ConsoleLevel, RoleRule } from './console-roles.ts';
import type { ResolvedRoute } from './route-pattern.ts';
import type { Tier } from './tier.ts';

/** The fields of a route or channel that access control needs. */
export interface Tiered {
  /** `WS` for a channel. */
  readonly method: string;
  readonly url: string;
  readonly tier: Tier;
  readonly role?: ConsoleLevel | undefined;
  readonly isScoped?: boolean | undefined;
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

/** What each route asks of the roles of a user. Routes of the app may do anything. */
export function roleRules(routes: readonly Tiered[]): (route: ResolvedRoute) => RoleRule {
  const rules = new Map<string, RoleRule>();
  for (const { isScoped = false, method, role, url } of routes)
    rules.set(`${method} ${url}`, { level: role ?? defaultLevel(method), isScoped });
  return ({ isBelowPrefix, isWebSocket, method, url }) => {
    const name = isWebSocket ? 'WS' : method === 'HEAD' ? 'GET' : method;
    return (isBelowPrefix ? rules.get(`${name} ${url}`) : undefined) ?? { level: 'owner', isScoped: false };
  };
}

function defaultLevel(method: string): ConsoleLevel {
  if (method === 'GET' || method === 'WS') return 'viewer';
  return method === 'DELETE' ? 'owner' : 'operator';
}
