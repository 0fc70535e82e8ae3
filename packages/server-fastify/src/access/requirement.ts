import type { ResolvedRoute } from './route-pattern.ts';

/** The credential that a route requires: none, the console key, a user's token, or either of them. The dev bypass replaces any. */
export type Requirement = 'public' | 'console' | 'user' | 'console-or-user';

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
}
