import type { JsonObject, StoredApprovalRules, StoredExpiry } from '@halyard/contracts';
import { isoTime } from '../../json/iso-time.ts';
import { allowsAlways, type ApprovalRequest, readExpiry } from './approvals.ts';
import { conversationExpiry } from './expiring-request.ts';
import { wholeExpiryMs } from './expiry-rules.ts';

interface AskedRules {
  readonly rules?: StoredApprovalRules | undefined;
  readonly expiry?: StoredExpiry | undefined;
}

/** A request, as clients show it: who must respond, who later, and whether also for later calls. */
export function shownRequest({ approvalId, signature }: ApprovalRequest, { expiry, rules }: AskedRules): JsonObject {
  const escalation = laterRounds(signature, { expiry, rules });
  return {
    ...(rules !== undefined && { approvers: [...rules.approvers] }),
    ...(escalation.length > 0 && { escalation }),
    ...(allowsAlways(approvalId) && { always: true }),
  };
}

/** The signature has the time of the request, so that a repeated run shows the same times. */
function laterRounds(signature: string, { expiry, rules }: AskedRules): JsonObject[] {
  const endsAt = readExpiry(signature);
  if (expiry === undefined || endsAt === undefined) return [];
  const { rounds } = conversationExpiry(expiry, endsAt - wholeExpiryMs(expiry), rules);
  return rounds
    .slice(1)
    .map((round, index) => ({ approvers: [...round.rules.approvers], from: isoTime(rounds[index]?.until ?? endsAt) }));
}
