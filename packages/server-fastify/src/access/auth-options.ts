import type { AuthProvider } from '@halyard/contracts';

/** Who may call what. See docs/access.md. */
export interface AuthOptions {
  /**
   * `policy` (default): every route is private, by its tier. `legacy`: lists of public and protected routes, everything else open;
   * deprecated.
   */
  readonly mode?: 'policy' | 'legacy';
  /** Tells who a token speaks for. Without one no token is valid, and user routes are closed. */
  readonly provider?: AuthProvider;
  /** Routes that need no credentials, such as `GET /prices/:id` or `/shop/*`; those of the provider are added. */
  readonly publicRoutes?: readonly string[];
  /** Policy mode: routes that need the console key, in place of `defaultConsoleRoutes`. */
  readonly consoleRoutes?: readonly string[];
  /** Legacy mode: protect the app's own and unknown routes too. Default: as the provider says, else no. */
  readonly defaultPrivate?: boolean;
  /** Opens console routes. Default: `SERVICE_CONSOLE_ACCESS_KEY`; where neither is set, nothing opens them but the dev bypass. */
  readonly consoleKey?: string;
  /**
   * Rejected credentials that an address may send in a minute before further ones get 429; default 20. Valid ones pass nevertheless.
   * `false`: any number.
   */
  readonly rejectedPerMinute?: number | false;
}
