import type { ResolvedRoute } from './route-pattern.ts';

/** What a request must bring: nothing, the console key, a user's token, or either of them. The dev bypass stands for both. */
export type Requirement = 'public' | 'console' | 'user' | 'console-or-user';

/** Tells what a route requires. */
export type Rules = (route: ResolvedRoute) => Requirement;

/** Routes by list, merged from all who have a say in it. */
export interface RouteLists {
  /** The app's and the provider's. */
  readonly public: readonly string[];
  /** The server's own: health. */
  readonly alwaysPublic: readonly string[];
  /** The app's; undefined for the defaults. */
  readonly console: readonly string[] | undefined;
  readonly defaultConsole: readonly string[];
}
