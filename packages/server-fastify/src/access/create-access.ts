import { type AuthRequest, ConfigurationError, isProduction, type Logger } from '@halyard/contracts';
import type { AuthOptions } from './auth-options.ts';
import { type Authorized, type AuthSettings, authorize } from './authorize.ts';
import { ConsoleKey } from './console-key.ts';
import { checkConsoleRoles, grantsForUser, type RoleRule } from './console-roles.ts';
import {
  listConsoleRoutes,
  listOperatorRoutes,
  listPublicRoutes,
  listSharedRoutes,
  roleRules,
  type Tiered,
} from './console-routes.ts';
import type { Credentials } from './credentials.ts';
import { legacyRules } from './legacy.ts';
import { policyRules, type Requirement, type Rules } from './policy.ts';
import type { ResolvedRoute } from './route-pattern.ts';

/** The access control of one server. */
export interface Access {
  requirementOf(route: ResolvedRoute): Requirement;
  /** What the route asks of the roles of a user where it is for operators. */
  roleRuleOf(route: ResolvedRoute): RoleRule;
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
  const { consoleKey = process.env['SERVICE_CONSOLE_ACCESS_KEY'], consoleRoles, provider } = options;
  provider?.useLogger?.(logger);
  const settings: AuthSettings = {
    provider,
    consoleKey: new ConsoleKey(consoleKey),
    grantsOf: consoleRoles && ((user) => grantsForUser(user, consoleRoles)),
    allowsDevBypass: () => !isProduction(),
    logger,
    reservedUserIds,
  };
  return {
    requirementOf: accessRules(options, routes),
    roleRuleOf: roleRules(routes),
    authorize: (requirement, credentials, request) => authorize(requirement, credentials, settings, request),
  };
}

function checkOptions({ consoleRoles, mode, provider, rejectedPerMinute = 0 }: AuthOptions): void {
  if (consoleRoles !== undefined) {
    checkConsoleRoles(consoleRoles);
    if (mode === 'legacy') throw new ConfigurationError('The option `auth.consoleRoles` needs the mode "policy"');
  }
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
