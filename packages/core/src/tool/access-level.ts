import { ConfigurationError } from '@halyard/contracts';

/**
 * Who may reach an agent, a tool or a workflow from outside. `users`: whoever its routes let in.
 * `operators`: only requests with the console key or the dev bypass, and everybody where there is
 * no access control. `server`: nobody may call it; only the code of the app runs it, and operators
 * see what it did.
 */
export type AccessLevel = 'users' | 'operators' | 'server';

const levels: ReadonlySet<unknown> = new Set<AccessLevel>(['users', 'operators', 'server']);

/** @param what has the option, for the error. @throws ConfigurationError for any other value. */
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
