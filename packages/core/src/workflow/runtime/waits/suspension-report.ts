import type { JsonObject, NewExecutionEvent, Suspension } from '@halyard/contracts';
import { isoTime } from '../../../services/iso-time.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { LiveExecution } from '../run/live-execution.ts';

/** A suspension as results and events tell it. */
export interface SuspensionReport {
  /** ISO 8601. */
  readonly suspendedAt: string;
  readonly reason: string;
  /** Position of the top-level step that it is in. */
  readonly suspendedStepIndex: number;
  readonly stepId: string;
  readonly suspendData?: JsonObject[string];
}

/** A suspension as seen from an execution: the one that it is in, or one around that. */
export function reportSuspension(
  { id, path }: { readonly id: string; readonly path: string },
  workflow: Pick<WorkflowDefinition, 'index'> | undefined,
  suspension: Suspension,
): SuspensionReport {
  const { data, executionId, reason, stepId, stepIndex, suspendedAt } = suspension;
  return {
    suspendedAt: isoTime(suspendedAt),
    reason,
    suspendedStepIndex:
      executionId === id ? stepIndex : (workflow?.index.get(topStepOf(path, suspension.path))?.stepIndex ?? stepIndex),
    stepId,
    ...(data !== undefined && { suspendData: data }),
  };
}

export function suspensionEvent(execution: LiveExecution, suspension: Suspension): NewExecutionEvent {
  return {
    type: 'workflow-suspended',
    from: execution.workflow.id,
    timestamp: isoTime(suspension.suspendedAt),
    suspension: { ...reportSuspension(execution, execution.workflow, suspension) },
  };
}

export function suspendedResult(execution: LiveExecution, suspension: Suspension, now: number): NewExecutionEvent {
  return {
    type: 'workflow-result',
    from: execution.workflow.id,
    timestamp: isoTime(now),
    status: 'suspended',
    result: null,
    startAt: isoTime(execution.createdAt),
    endAt: null,
    suspension: { ...reportSuspension(execution, execution.workflow, suspension) },
  };
}

function topStepOf(executionPath: string, path: string): string {
  const own = executionPath === '' ? path : path.slice(executionPath.length + 1);
  return own.split(/[/:#]/u, 1)[0] ?? '';
}
