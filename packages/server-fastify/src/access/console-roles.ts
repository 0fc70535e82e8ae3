import {
  checkOptionNames,
  ConfigurationError,
  type OptionNames,
  type User,
  userRoles,
  userTenant,
} from '@halyard/contracts';
import { findUserId } from './identity.ts';

/**
 * `viewer` reads; `operator` also responds to approvals, and cancels, resumes, retries and replays
 * executions; `owner` also reads the audit trail, exports and deletes data, and installs updates.
 */
export type ConsoleLevel = 'viewer' | 'operator' | 'owner';

/** What a role of a verified user may do in the console. */
export interface ConsoleRole {
  readonly level: ConsoleLevel;
  /** With `agents` or `workflows`, only these. */
  readonly agents?: readonly string[] | undefined;
  readonly workflows?: readonly string[] | undefined;
  /** `own`: only what users of the same tenant have started. */
  readonly tenant?: 'own' | undefined;
}

/** What one role of a user's token allows. */
export interface ConsoleGrant {
  readonly level: ConsoleLevel;
  /** Undefined: all. */
  readonly agents: readonly string[] | undefined;
  readonly workflows: readonly string[] | undefined;
  /** Undefined: of all tenants. */
  readonly tenantId: string | undefined;
}

/** What a route asks of the roles of a user. */
export interface RoleRule {
  readonly level: ConsoleLevel;
  /** Whether it leaves out what a role does not cover: others are for roles without limits only. */
  readonly isScoped: boolean;
}

const levels: Readonly<Record<ConsoleLevel, number>> = { viewer: 0, operator: 1, owner: 2 };
const roleNames: OptionNames<ConsoleRole> = { agents: true, level: true, tenant: true, workflows: true };

/** @throws ConfigurationError for invalid roles. */
export function checkConsoleRoles(roles: unknown): void {
  if (typeof roles !== 'object' || roles === null || Array.isArray(roles))
    throw new ConfigurationError('The option `auth.consoleRoles` must be an object with a level for each role');
  for (const [name, given] of Object.entries(roles)) {
    const option = `auth.consoleRoles[${JSON.stringify(name)}]`;
    const role: unknown = typeof given === 'string' ? { level: given } : given;
    if (typeof role !== 'object' || role === null)
      throw new ConfigurationError(`The option \`${option}\` must be a level, or an object with one`);
    checkOptionNames(`The option \`${option}\``, role, roleNames);
    const { agents = [], level, tenant = 'own', workflows = [] } = role as Readonly<Record<string, unknown>>;
    if (typeof level !== 'string' || !Object.hasOwn(levels, level))
      throw new ConfigurationError(`The level of \`${option}\` must be "viewer", "operator" or "owner"`);
    if (![agents, workflows].every((ids) => Array.isArray(ids) && ids.every((id) => typeof id === 'string')))
      throw new ConfigurationError(`\`agents\` and \`workflows\` of \`${option}\` must be lists of ids`);
    if (tenant !== 'own') throw new ConfigurationError(`\`tenant\` of \`${option}\` must be "own"`);
  }
}

/** What the roles of a verified user allow. A user without an id has no roles. */
export function grantsForUser(
  user: User,
  roles: Readonly<Record<string, ConsoleLevel | ConsoleRole>>,
): readonly ConsoleGrant[] {
  if (findUserId(user) === undefined) return [];
  return userRoles(user).flatMap((name): readonly ConsoleGrant[] => {
    const given = Object.hasOwn(roles, name) ? roles[name] : undefined;
    if (given === undefined) return [];
    const { agents, level, tenant, workflows }: ConsoleRole = typeof given === 'string' ? { level: given } : given;
    const isLimited = agents !== undefined || workflows !== undefined;
    const grant = {
      level,
      agents: isLimited ? (agents ?? []) : undefined,
      workflows: isLimited ? (workflows ?? []) : undefined,
    };
    if (tenant === undefined) return [{ ...grant, tenantId: undefined }];
    // A user without a tenant has no data of a tenant.
    const tenantId = userTenant(user) ?? undefined;
    return tenantId === undefined ? [] : [{ ...grant, tenantId }];
  });
}

/** Those of the grants that count on a route. */
export function grantsForRoute(
  grants: readonly ConsoleGrant[],
  { isScoped, level }: RoleRule,
): readonly ConsoleGrant[] {
  return grants.filter((grant) => levels[grant.level] >= levels[level] && (isScoped || isUnlimited(grant)));
}

function isUnlimited({ agents, tenantId, workflows }: ConsoleGrant): boolean {
  return agents === undefined && workflows === undefined && tenantId === undefined;
}

/** Something that a role may be limited to. */
export interface Covered {
  readonly kind: 'agent' | 'workflow';
  readonly id: string;
  /** The verified user who has started it; undefined if there is none. */
  readonly startedBy: User | undefined;
}

/** Whether one of the grants covers something that a user has started. */
export function covers(grants: readonly ConsoleGrant[], { id, kind, startedBy }: Covered): boolean {
  return grants.some((grant) => {
    const isOfTenant =
      grant.tenantId === undefined || (startedBy !== undefined && userTenant(startedBy) === grant.tenantId);
    return isOfTenant && names(grant, kind, id);
  });
}

/** Whether one of the grants covers an agent or a workflow itself, whose definition has no tenant. */
export function coversDefinition(grants: readonly ConsoleGrant[], kind: Covered['kind'], id: string): boolean {
  return grants.some((grant) => names(grant, kind, id));
}

function names({ agents, workflows }: ConsoleGrant, kind: Covered['kind'], id: string): boolean {
  return (kind === 'agent' ? agents : workflows)?.includes(id) ?? true;
}
