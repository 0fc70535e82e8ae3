import {
  type Execution,
  type ExecutionError,
  isHalyardError,
  type JsonObject,
  type JsonValue,
  StepFailedError,
} from '@halyard/contracts';
import { isoTime } from '../../../json/iso-time.ts';
import type { CommitDraft } from '../commits/commit-draft.ts';

/** How an execution ended. */
export type Ending =
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'error'; readonly error: ExecutionError; readonly cause: unknown }
  | { readonly status: 'cancelled'; readonly reason: string };

/** Writes how an execution ended: to its row, as an event, and as its `workflow-result`. */
export function writeEnding(
  { createdAt, id, workflowId }: Pick<Execution, 'id' | 'workflowId' | 'createdAt'>,
  ending: Ending,
  draft: CommitDraft,
  now: number,
): void {
  const { status } = ending;
  const timestamp = isoTime(now);
  const result = { status, startAt: isoTime(createdAt), endAt: timestamp };
  const addEvent = (type: string, fields: JsonObject): void =>
    draft.addEvent(id, { type, from: workflowId, timestamp, ...fields });
  switch (status) {
    case 'completed':
      draft.setStatus(id, status, { output: ending.output });
      addEvent('workflow-complete', { output: ending.output });
      addEvent('workflow-result', { ...result, result: ending.output });
      break;
    case 'error':
      draft.setStatus(id, status, { error: ending.error });
      addEvent('workflow-error', { error: { ...ending.error } });
      addEvent('workflow-result', { ...result, result: null, error: { ...ending.error } });
      break;
    case 'cancelled':
      draft.setStatus(id, status);
      addEvent('workflow-cancelled', { reason: ending.reason });
      addEvent('workflow-result', { ...result, result: null });
      break;
    default:
      status satisfies never;
  }
}

/** The ending of an execution that failed. Clients see only messages that are meant for them. */
export function failedEnding(workflowId: string, cause: unknown): Ending & { readonly status: 'error' } {
  return { status: 'error', error: executionError(workflowId, cause), cause };
}

function executionError(workflowId: string, error: unknown): ExecutionError {
  if (error instanceof StepFailedError) return { message: error.message, stepId: error.stepId, code: error.code };
  if (isHalyardError(error) && error.kind !== 'internal') return { message: error.message, code: error.code };
  return { message: `Workflow "${workflowId}" failed`, code: 'WORKFLOW_FAILED' };
}
