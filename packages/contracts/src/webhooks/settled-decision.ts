import { cutText } from '../cut-text.ts';
import type { Resumption } from '../executions/execution.ts';
import type { WebhookData } from './webhook-event.ts';

/** How a request was answered, as `approval.settled` says it. */
export type SettledDecision = Pick<WebhookData, 'answeredBy' | 'approved' | 'expired' | 'reason'>;

/** A longer reason is cut: it is a text of a person. */
const reasonCharacters = 1_000;

export function settledDecision({
  approved,
  answeredBy,
  expired,
  reason,
}: {
  readonly [Field in keyof SettledDecision]?: SettledDecision[Field] | undefined;
}): SettledDecision {
  return {
    ...(approved !== undefined && { approved }),
    ...(answeredBy !== undefined && { answeredBy }),
    ...(reason !== undefined && { reason: cutText(reason, reasonCharacters) }),
    ...(expired === true && { expired }),
  };
}

/** Resume data say by `approved` and `reason` how the person has decided. */
export function decisionOfResumption({
  data,
  isExpired,
  isTimeout,
  resumedBy,
}: Pick<Resumption, 'data' | 'isExpired' | 'isTimeout'> & {
  readonly resumedBy?: string | undefined;
}): SettledDecision {
  if (isTimeout === true) return { expired: true };
  const given = typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {};
  const { approved, reason } = given as { readonly approved?: unknown; readonly reason?: unknown };
  return settledDecision({
    approved: typeof approved === 'boolean' ? approved : undefined,
    answeredBy: resumedBy,
    reason: typeof reason === 'string' ? reason : undefined,
    expired: isExpired,
  });
}
