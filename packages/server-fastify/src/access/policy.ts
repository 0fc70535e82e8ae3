import { matchesAny, parsePatterns, type ResolvedRoute } from './route-pattern.ts';

/**
 * The credential that a route requires: none, the console key, a user's token, or either of them.
 * The dev bypass replaces any. With `calls-of-users` the route is open, except for calls that
 * require a token. With `user-or-operator` a token decides, and the console key counts only without
 * one. With `open`, nobody has decided that the route is public, so pages of other sites may not
 * change anything.
 */
export type Requirement =
  | 'public'
  | 'open'
  | 'console'
  | 'user'
  | 'console-or-user'
  | 'user-or-operator'
  | 'calls-of-users';

/** Whether a request needs no credential. */
export function requiresNothing(requirement: Requirement): boolean {
  return requirement === 'public' || requirement === 'open';
}

export type Rules = (route: ResolvedRoute) => Requirement;

/** Route patterns by requirement. */
export interface RouteLists {
  /** The public routes of the app and of the provider. */
  readonly public: readonly string[];
  /** The server's own public routes. */
  readonly alwaysPublic: readonly string[];
  /** The console routes of the app; undefined for the default. */
  readonly console: readonly string[] | undefined;
  readonly defaultConsole: readonly string[];
  /** Routes for operators, which also serve users. */
  readonly operator: readonly string[];
  /** Routes for users, which also serve operators. */
  readonly shared: readonly string[];
}

/**
 * The rules of policy mode: public by list, else console by list, else user. An unknown route
 * accepts either credential and gets 404.
 */
export function policyRules(lists: RouteLists): Rules {
  const open = parsePatterns(lists.public, 'auth.publicRoutes');
  const alwaysOpen = parsePatterns(lists.alwaysPublic, 'auth.publicRoutes');
  const console = parsePatterns(lists.console ?? lists.defaultConsole, 'auth.consoleRoutes');
  const operator = parsePatterns(lists.operator, 'auth.consoleRoutes');
  const shared = parsePatterns(lists.shared, 'auth.consoleRoutes');
  const isDefault = lists.console === undefined;
  return (route) => {
    if (route.url === undefined) return 'console-or-user';
    if (matchesAny(open, route) || (route.isBelowPrefix && matchesAny(alwaysOpen, route))) return 'public';
    if ((route.isBelowPrefix || !isDefault) && matchesAny(console, route)) return 'console';
    if (!route.isBelowPrefix) return 'user';
    if (matchesAny(operator, route)) return 'console-or-user';
    return matchesAny(shared, route) ? 'user-or-operator' : 'user';
  };
}
