import type { Execution, ExecutionError, JsonObject, JsonValue } from '@halyard/contracts';
import { isoTime } from '../../../services/iso-time.ts';
import type { CommitDraft } from '../commits/commit-draft.ts';

/** What an execution came to. */
export type Ending =
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'error'; readonly error: ExecutionError; readonly cause: unknown }
  | { readonly status: 'cancelled'; readonly reason: string };

/** Writes how an execution ended: on its row, in the event of that end, and in its result. */
export function writeEnding(
  { createdAt, id, workflowId }: Pick<Execution, 'id' | 'workflowId' | 'createdAt'>,
  ending: Ending,
  draft: CommitDraft,
  now: number,
): void {
  const { status } = ending;
  const timestamp = isoTime(now);
  const result = { status, startAt: isoTime(createdAt), endAt: timestamp };
  const tell = (type: string, fields: JsonObject): void =>
    draft.event(id, { type, from: workflowId, timestamp, ...fields });
  switch (status) {
    case 'completed':
      draft.setStatus(id, status, { output: ending.output });
      draft.event(id, { type: 'workflow-complete', from: workflowId, timestamp, output: ending.output });
      draft.event(id, { type: 'workflow-result', from: workflowId, timestamp, ...result, result: ending.output });
      break;
    case 'error':
      draft.setStatus(id, status, { error: ending.error });
      tell('workflow-error', { error: { ...ending.error } });
      tell('workflow-result', { ...result, result: null, error: { ...ending.error } });
      break;
    case 'cancelled':
      draft.setStatus(id, status);
      tell('workflow-cancelled', { reason: ending.reason });
      tell('workflow-result', { ...result, result: null });
      break;
    default:
      status satisfies never;
  }
}
