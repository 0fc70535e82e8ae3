import { causeOf } from '../../ui/cause-of.ts';
import type { ExecutionRecord } from './use-execution-list.ts';

/** What an execution waits for, or why it has failed. Empty: neither. */
export function describe({ error, failureReason, status, suspension, waitingSince }: ExecutionRecord): string {
  if (suspension !== null) return `${suspension.stepId}: ${suspension.reason}`;
  if (failureReason !== undefined) return withStep(error?.stepId, causeOf(failureReason));
  if (error !== undefined) return withStep(error.stepId, error.message);
  return status === 'running' && waitingSince !== undefined ? 'a free place' : '';
}

function withStep(stepId: string | undefined, text: string): string {
  return stepId === undefined ? text : `${stepId}: ${text}`;
}
