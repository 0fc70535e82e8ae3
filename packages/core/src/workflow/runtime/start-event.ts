import type { JsonValue, NewExecutionEvent } from '@halyard/contracts';
import { isoTime } from '../../services/iso-time.ts';

/** The first event of every execution. */
export function startEvent(workflowId: string, input: JsonValue, now: number): NewExecutionEvent {
  return { type: 'workflow-start', from: workflowId, timestamp: isoTime(now), input };
}
