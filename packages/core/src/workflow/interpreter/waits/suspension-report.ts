import type { Execution, JsonValue, NewExecutionEvent, Suspension } from '@halyard/contracts';
import { isoTime } from '../../../json/iso-time.ts';
import { decisionPath, ownPlace, toSegments } from '../../definition/place.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { CommitDraft } from '../commits/commit-draft.ts';
import type { LiveExecution } from '../run/live-execution.ts';

/** A suspension as results and events contain it. */
export interface SuspensionReport {
  /** ISO 8601. */
  readonly suspendedAt: string;
  readonly reason: string;
  /** Position of the top-level step that it is in. */
  readonly suspendedStepIndex: number;
  readonly stepId: string;
  /**
   * Names this suspension and no later one, not even of the same step. Pass it with the resume
   * data.
   */
  readonly suspensionId: string;
  /**
   * `step`: the step asks. `approval`: a tool call of an agent waits. `request`: it was suspended
   * from outside. `event`: it waits for an event.
   */
  readonly kind: Suspension['kind'];
  readonly suspendData?: JsonValue;
}

/** Describes a suspension from the view of an execution: the one it is in, or one around that. */
export function reportSuspension(
  { id, path }: { readonly id: string; readonly path: string },
  workflow: Pick<WorkflowDefinition, 'index'> | undefined,
  suspension: Suspension,
): SuspensionReport {
  const { data, executionId, id: suspensionId, kind, reason, stepId, stepIndex, suspendedAt } = suspension;
  const [topLevel] = toSegments(ownPlace(suspension.path, path));
  const ownIndex = executionId === id ? stepIndex : workflow?.index.get(topLevel?.id ?? '')?.stepIndex;
  return {
    suspendedAt: isoTime(suspendedAt),
    reason,
    suspendedStepIndex: ownIndex ?? stepIndex,
    stepId,
    suspensionId,
    kind,
    ...(data !== undefined && { suspendData: data }),
  };
}

/** When the time limit ends, in milliseconds since the epoch; undefined without one. */
export function findExpiry({ timers }: Pick<Execution, 'timers'>, { path }: Suspension): number | undefined {
  return timers.find((timer) => timer.path === decisionPath(path, 'timeout'))?.wakeAt;
}

export function suspensionEvent(execution: LiveExecution, suspension: Suspension): NewExecutionEvent {
  return {
    type: 'workflow-suspended',
    from: execution.workflow.id,
    timestamp: isoTime(suspension.suspendedAt),
    suspension: { ...reportSuspension(execution, execution.workflow, suspension) },
  };
}

/**
 * Writes `suspended`, with the earliest suspension as its result, to each running execution that
 * contains one.
 */
export function addSuspendedResults(
  executions: readonly LiveExecution[],
  suspensions: readonly Suspension[],
  draft: CommitDraft,
  now: number,
): void {
  for (const execution of executions) {
    const earliest = suspensions.find(({ path }) => execution.contains(path));
    if (earliest === undefined || execution.status !== 'running') continue;
    draft.setStatus(execution.id, 'suspended');
    draft.addEvent(execution.id, {
      type: 'workflow-result',
      from: execution.workflow.id,
      timestamp: isoTime(now),
      status: 'suspended',
      result: null,
      startAt: isoTime(execution.createdAt),
      endAt: null,
      suspension: { ...reportSuspension(execution, execution.workflow, earliest) },
    });
  }
}
