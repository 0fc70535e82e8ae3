import { type AuthRequest, ConfigurationError, isProduction, type Logger } from '@halyard/contracts';
import type { AuthOptions } from './auth-options.ts';
import { type Authorized, type AuthSettings, authorize } from './authorize.ts';
import { ConsoleKey } from './console-key.ts';
import {
  listConsoleRoutes,
  listOperatorRoutes,
  listPublicRoutes,
  listSharedRoutes,
  type Tiered,
} from './console-routes.ts';
import type { Credentials } from './credentials.ts';
import { legacyRules } from './legacy.ts';
import { policyRules, type Requirement, type Rules } from './policy.ts';
import type { ResolvedRoute } from './route-pattern.ts';

/** The access control of one server. */
export interface Access {
  requirementOf(route: ResolvedRoute): Requirement;
  /** @throws AccessRefusedError if the credentials do not fulfil the requirement. */
  authorize(requirement: Requirement, credentials: Credentials, request: AuthRequest): Promise<Authorized>;
}

interface AccessDependencies {
  /** All routes and channels of the server. */
  readonly routes: readonly Tiered[];
  readonly logger: Logger;
  /** The users of anonymous conversations, whom no token may name. */
  readonly reservedUserIds?: ReadonlySet<string>;
}

/** @throws ConfigurationError for invalid options. */
export function createAccess(
  options: AuthOptions,
  { logger, reservedUserIds = new Set(), routes }: AccessDependencies,
): Access {
  checkOptions(options);
  const { consoleKey = process.env['SERVICE_CONSOLE_ACCESS_KEY'], provider } = options;
  provider?.useLogger?.(logger);
  const settings: AuthSettings = {
    provider,
    consoleKey: new ConsoleKey(consoleKey),
    allowsDevBypass: () => !isProduction(),
    logger,
    reservedUserIds,
  };
  return {
    requirementOf: accessRules(options, routes),
    authorize: (requirement, credentials, request) => authorize(requirement, credentials, settings, request),
  };
}

function checkOptions({ provider, rejectedPerMinute = 0 }: AuthOptions): void {
  if (provider !== undefined && (typeof provider.type !== 'string' || typeof provider.verifyToken !== 'function'))
    throw new ConfigurationError('The option `auth.provider` must have a `type` and a function `verifyToken`');
  if (rejectedPerMinute !== false && (!Number.isInteger(rejectedPerMinute) || rejectedPerMinute < 0))
    throw new ConfigurationError('The option `auth.rejectedPerMinute` must be a whole number or false');
}

/** The credential that each route requires. @throws ConfigurationError for a malformed pattern. */
export function accessRules(options: AuthOptions, routes: readonly Tiered[]): Rules {
  const { consoleRoutes, defaultPrivate, mode = 'policy', provider, publicRoutes = [] } = options;
  const lists = {
    public: [...publicRoutes, ...(provider?.publicRoutes ?? [])],
    alwaysPublic: listPublicRoutes(routes),
    console: consoleRoutes,
    defaultConsole: listConsoleRoutes(routes),
    operator: listOperatorRoutes(routes),
    shared: listSharedRoutes(routes),
  };
  switch (mode) {
    case 'policy':
      return policyRules(lists);
    case 'legacy':
      return legacyRules(lists, defaultPrivate ?? provider?.defaultPrivate ?? false);
    default:
      throw new ConfigurationError(
        `The option \`auth.mode\` must be "policy" or "legacy", not ${JSON.stringify(mode satisfies never)}`,
      );
  }
}
