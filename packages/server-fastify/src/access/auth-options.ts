import type { AuthProvider } from '@halyard/contracts';
import type { ConsoleLevel, ConsoleRole } from './console-roles.ts';

/** Access control. See docs/access.md. */
export interface AuthOptions {
  /**
   * `policy` (default): every route is private and requires the credential of its tier. `legacy`
   * (deprecated): some routes are protected, all others are open.
   */
  readonly mode?: 'policy' | 'legacy' | undefined;
  /** Verifies tokens. Without a provider no token is valid, so user routes are closed. */
  readonly provider?: AuthProvider | undefined;
  /**
   * Routes that need no credentials, such as `GET /prices/:id` or `/shop/*`. Those of the provider
   * are added.
   */
  readonly publicRoutes?: readonly string[] | undefined;
  /** Policy mode: routes that need the console key. Replaces `defaultConsoleRoutes`. */
  readonly consoleRoutes?: readonly string[] | undefined;
  /**
   * Legacy mode: protect the app's own routes and unknown routes too. Default: the setting of the
   * provider, else false.
   */
  readonly defaultPrivate?: boolean | undefined;
  /**
   * The key for console routes. Default: the environment variable `SERVICE_CONSOLE_ACCESS_KEY`.
   * Without a key only the dev bypass opens console routes.
   */
  readonly consoleKey?: string | undefined;
  /**
   * Policy mode: what users with these roles (the claim `roles`) may do on console routes with their
   * own token. Default: only the console key opens them.
   */
  readonly consoleRoles?: Readonly<Record<string, ConsoleLevel | ConsoleRole>> | undefined;
  /**
   * How many rejected credentials an address may send in a minute before further ones get 429.
   * Default 20. Valid credentials are still accepted. `false`: no limit.
   */
  readonly rejectedPerMinute?: number | false | undefined;
}
