import { ConfigurationError } from '@halyard/contracts';

/**
 * The callers that may reach an agent, a tool or a workflow from outside. `users`: everyone who may
 * call its routes. `operators`: only requests with the console key or the dev bypass, and everybody
 * where there is no access control. `server`: nobody may call it; only the code of the app runs it,
 * and operators see its runs.
 */
export type AccessLevel = 'users' | 'operators' | 'server';

const levels: ReadonlySet<unknown> = new Set<AccessLevel>(['users', 'operators', 'server']);

/**
 * @param what the owner of the option, for the error. @throws ConfigurationError for any other
 * value.
 */
export function acceptAccess(what: string, access: AccessLevel = 'users'): AccessLevel {
  if (levels.has(access)) return access;
  throw new ConfigurationError(
    `\`access\` of ${what} must be "users", "operators" or "server", not ${JSON.stringify(access)}`,
  );
}

/** The one that lets fewer callers in. */
export function stricterAccess(one: AccessLevel, other: AccessLevel): AccessLevel {
  const order: readonly AccessLevel[] = ['users', 'operators', 'server'];
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
