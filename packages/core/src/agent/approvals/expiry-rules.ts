import {
  type ApprovalRules,
  type ExpiryRules,
  InvalidInputError,
  type OnExpire,
  type StoredApprovalRules,
  type StoredExpiry,
  type StoredOnExpire,
  type User,
} from '@halyard/contracts';
import { acceptApprovalRules } from './approval-rules.ts';

/** How often a request asks again at most. */
const maxRounds = 10;
/** 100 years. All rounds together end at a time that a signature and a date can have. */
const maxExpiryMs = 100 * 365 * 24 * 60 * 60 * 1_000;

/** The reason that the model or the step reads. */
export const expiredReason = 'Nobody has responded in time.';

/** Who may respond: undefined for the user of the run. @throws InvalidInputError */
export function acceptRules(
  { approvers, notRequester, quorum, tenantId }: Partial<ApprovalRules>,
  user: User | undefined,
): StoredApprovalRules | undefined {
  if (approvers !== undefined) return acceptApprovalRules({ approvers, notRequester, quorum, tenantId }, user);
  if (notRequester === undefined && quorum === undefined && tenantId === undefined) return undefined;
  throw new InvalidInputError('`notRequester`, `quorum` and `tenantId` need `approvers`');
}

/** The time limit of a request, as it is stored. @throws InvalidInputError */
export function acceptExpiry(rules: ExpiryRules, user: User | undefined): StoredExpiry | undefined {
  return accept(rules, user, maxRounds);
}

/** Whether several people must approve, at first or after a time limit. */
export function asksSeveral(rules: StoredApprovalRules | undefined, expiry: StoredExpiry | undefined): boolean {
  if (rules?.quorum !== undefined) return true;
  const { onExpire } = expiry ?? {};
  return typeof onExpire === 'object' && asksSeveral(onExpire.rules, onExpire);
}

/** The time until the last round ends. */
export function wholeExpiryMs({ expiryMs, onExpire }: StoredExpiry): number {
  return expiryMs + (typeof onExpire === 'object' ? wholeExpiryMs(onExpire) : 0);
}

function accept({ expiryMs, onExpire }: ExpiryRules, user: User | undefined, rounds: number): StoredExpiry | undefined {
  if (expiryMs === undefined) {
    if (onExpire === undefined) return undefined;
    throw new InvalidInputError('`onExpire` needs an `expiryMs`');
  }
  if (!(expiryMs > 0 && expiryMs <= maxExpiryMs))
    throw new InvalidInputError(`\`expiryMs\` must be greater than 0, and ${maxExpiryMs} (100 years) at most`);
  if (rounds === 0) throw new InvalidInputError(`\`onExpire\` asks again ${maxRounds} times at most`);
  return {
    expiryMs: Math.ceil(expiryMs),
    ...(onExpire !== undefined && { onExpire: acceptOnExpire(onExpire, user, rounds) }),
  };
}

function acceptOnExpire(onExpire: OnExpire, user: User | undefined, rounds: number): StoredOnExpire {
  if (onExpire === 'deny' || onExpire === 'continue') return onExpire;
  const next = typeof onExpire === 'object' ? accept(onExpire, user, rounds - 1) : undefined;
  if (next === undefined)
    throw new InvalidInputError(
      '`onExpire` must be "deny", "continue", or an object with an `expiryMs` that asks again',
    );
  const rules = acceptRules(onExpire, user);
  return { ...next, ...(rules !== undefined && { rules }) };
}
