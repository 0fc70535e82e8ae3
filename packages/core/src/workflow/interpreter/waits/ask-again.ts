import type { JsonValue, Resumption, StoredOnExpire, Suspension } from '@halyard/contracts';
import type { ExpiredRequest } from '../../../agent/agent-services.ts';
import { expiredReason } from '../../../agent/approvals/expiry-rules.ts';
import { toJson } from '../../../json/to-json.ts';
import { callPath } from '../../definition/place.ts';
import type { SuspendOptions } from '../run/execution-run-options.ts';
import type { StepRun } from '../step/step-run.ts';

/** What happens to a suspension that nobody has resumed in time. */
export function outcomeOfExpired(suspension: Suspension): ExpiredRequest['outcome'] {
  const onExpire = ruleOf(suspension);
  return typeof onExpire === 'object' ? 'ask-again' : (onExpire ?? 'fail');
}

function ruleOf({ kind, onExpire }: Suspension): StoredOnExpire | undefined {
  return onExpire ?? (kind === 'approval' ? 'deny' : undefined);
}

/** The resume data of a suspension that nobody has resumed in time. */
export function resumptionOfExpired(suspension: Suspension): Pick<Resumption, 'data' | 'isExpired' | 'isTimeout'> {
  const { data, kind, reason, rules } = suspension;
  const onExpire = ruleOf(suspension);
  if (onExpire === undefined) return { data: null, isTimeout: true };
  if (onExpire === 'deny' || onExpire === 'continue')
    return { data: { approved: onExpire === 'continue', reason: expiredReason }, isExpired: true };
  const { expiryMs: timeoutMs, onExpire: next, rules: nextRules = rules } = onExpire;
  const again: SuspendOptions = { kind, reason, data, rules: nextRules, timeoutMs, onExpire: next };
  return { data: toJson(again), isTimeout: true };
}

/**
 * Suspends the step, and calls of its agent, again where the time limit says so.
 *
 * @returns whether the step itself waits again.
 */
export function askAgain(run: StepRun): boolean {
  const { waitChanges, waits } = run.executionRun;
  let waitsAgain = false;
  for (const { data, isTimeout, path } of waits.resumptions.values()) {
    const isOfStep = path === run.path || path.startsWith(callPath(run.path, ''));
    if (!isOfStep || isTimeout !== true || data === null) continue;
    waitChanges.suspend(run, { ...toOptions(data), path });
    waitsAgain ||= path === run.path;
  }
  return waitsAgain;
}

/** As {@link resumptionOfExpired} has written them. */
function toOptions(data: JsonValue): SuspendOptions {
  return data as JsonValue & SuspendOptions;
}
