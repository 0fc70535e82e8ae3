import type { User } from '../ports.ts';

/** Who may respond to a request that waits for a person. Operators always may. */
export interface ApprovalRules {
  /**
   * The people of whom any may respond, at least one entry: the id of a user, `role:<name>` for
   * everybody with this role in `tenantId`, `tenant:<id>` for everybody in a tenant. The user of
   * the run may respond only if an entry names that user.
   */
  readonly approvers: readonly string[];
  /** Refuses the user of the run, also where an entry names that user. Default: false. */
  readonly notRequester?: boolean | undefined;
  /** How many different people must approve. One denial is enough. Default: 1. */
  readonly quorum?: number | undefined;
  /** The tenant whose users may respond; null: users without a tenant. Default: that of the run's user. */
  readonly tenantId?: string | null | undefined;
}

/** {@link ApprovalRules} as they are stored, with the tenant. */
export interface StoredApprovalRules {
  readonly approvers: readonly string[];
  readonly notRequester?: true;
  readonly quorum?: number;
  readonly tenantId: string | null;
}

/** How long a request waits, and what happens then. */
export interface ExpiryRules {
  /** In milliseconds, greater than 0. */
  readonly expiryMs?: number | undefined;
  /** Needs `expiryMs`. */
  readonly onExpire?: OnExpire | undefined;
}

/**
 * What happens when nobody has responded in time. `deny`: as if a person had denied. `continue`: as
 * if one had approved. An object asks again, at most 10 times: with `approvers` it asks these
 * people, without them the same people.
 */
export type OnExpire = 'deny' | 'continue' | AskAgain;

export interface AskAgain extends Partial<ApprovalRules>, ExpiryRules {
  readonly expiryMs: number;
}

/** {@link ExpiryRules} as they are stored. */
export interface StoredExpiry {
  readonly expiryMs: number;
  readonly onExpire?: StoredOnExpire;
}

/** Without `rules`, the same people are asked again. */
export type StoredOnExpire = 'deny' | 'continue' | (StoredExpiry & { readonly rules?: StoredApprovalRules });

/**
 * The roles of a verified user: the texts in its claim `roles`. Providers map other claims to it.
 */
export function userRoles({ roles }: User): readonly string[] {
  return Array.isArray(roles) ? roles.filter((role): role is string => typeof role === 'string') : [];
}

/**
 * The tenant of a verified user: its claim `tenantId`, a text or, as in ids, a whole number. Null
 * without the claim. Undefined for a claim that names no tenant, such as a list: its user must not
 * be taken for one without a tenant.
 */
export function userTenant({ tenantId }: User): string | null | undefined {
  if (tenantId === undefined || tenantId === null || tenantId === '') return null;
  if (typeof tenantId === 'string') return tenantId;
  return typeof tenantId === 'number' && Number.isSafeInteger(tenantId) ? String(tenantId) : undefined;
}

/**
 * The keys of the rules. A user may respond if {@link approverKeysOfUser} has one of them, so a
 * store finds requests by an index of keys.
 */
export function approverKeys({ approvers, tenantId }: StoredApprovalRules): readonly string[] {
  return approvers.map((approver) => {
    const [, kind, name = ''] = /^(role|tenant):(.*)$/s.exec(approver) ?? [];
    if (kind === 'role') return keyOf('role', tenantId, name);
    return kind === 'tenant' ? keyOf('tenant', name) : keyOf('user', tenantId, approver);
  });
}

/**
 * The keys of a verified user with this id. A user with a tenant is also named by rules without
 * one; a user whose tenant is unclear has none.
 */
export function approverKeysOfUser(user: User, id: string): readonly string[] {
  const tenantId = userTenant(user);
  if (tenantId === undefined) return [];
  return [
    keyOf('user', null, id),
    ...(tenantId === null ? [] : [keyOf('user', tenantId, id), keyOf('tenant', tenantId)]),
    ...userRoles(user).map((role) => keyOf('role', tenantId, role)),
  ];
}

function keyOf(...parts: readonly (string | null)[]): string {
  return JSON.stringify(parts);
}
