import type { Execution, ExecutionEvent } from '@halyard/contracts';
import { isoTime, reportSuspension, type WorkflowDefinition } from '@halyard/core';
import type { ExecutionRecord, ExecutionRecordEvent, ExecutionState, PendingSuspension } from './schemas.ts';

/** @param workflow the current definition; undefined if it is no longer registered. */
export function toExecutionState(execution: Execution, workflow: WorkflowDefinition | undefined): ExecutionState {
  const { context, createdAt, endedAt, error, id } = execution;
  return {
    executionId: id,
    ...fieldsOf(execution, workflow),
    startAt: isoTime(createdAt),
    endAt: endedAt === null ? null : isoTime(endedAt),
    context,
    ...(error !== undefined && { error }),
  };
}

export function toExecutionRecord(
  execution: Execution,
  events: readonly ExecutionEvent[],
  workflow: WorkflowDefinition | undefined,
): ExecutionRecord {
  return {
    id: execution.id,
    ...fieldsOf(execution, workflow),
    events: toRecordEvents(execution, events, workflow),
    ...((events.at(-1)?.seq ?? 0) < execution.seq && { hasMoreEvents: true as const }),
  };
}

function fieldsOf(
  execution: Execution,
  workflow: WorkflowDefinition | undefined,
): Omit<ExecutionRecord, 'id' | 'events'> {
  const { conversationId, createdAt, input, metadata, output, status, updatedAt, userId } = execution;
  const { quarantinedAt, suspensions, waitingSince, workflowId, workflowName, workflowState } = execution;
  const [earliest] = suspensions;
  return {
    workflowId,
    workflowName,
    status,
    input,
    ...(output !== undefined && { output }),
    workflowState,
    suspension: earliest === undefined ? null : toPendingSuspension(execution, earliest, workflow),
    ...(quarantinedAt !== null && { quarantinedAt: isoTime(quarantinedAt) }),
    ...(waitingSince !== null && { waitingSince: isoTime(waitingSince) }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    metadata,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function toPendingSuspension(
  execution: Execution,
  suspension: Execution['suspensions'][number],
  workflow: WorkflowDefinition | undefined,
): PendingSuspension {
  const { suspendedStepIndex, ...report } = reportSuspension(execution, workflow, suspension);
  return { ...report, stepIndex: suspendedStepIndex };
}

/** The status for each type of event that ends a workflow or a step. */
const endings: Readonly<Record<string, ExecutionRecordEvent['status']>> = {
  'workflow-complete': 'success',
  'workflow-error': 'error',
  'workflow-cancelled': 'cancelled',
  'step-complete': 'success',
  'step-error': 'error',
};

/** One entry for each start and each end of the workflow and its steps. */
function toRecordEvents(
  { id, workflowName }: Execution,
  events: readonly ExecutionEvent[],
  workflow: WorkflowDefinition | undefined,
): ExecutionRecordEvent[] {
  const startTimes = new Map<string, string>();
  const entries: ExecutionRecordEvent[] = [];
  for (const { event, seq } of events) {
    const { from, input, output, timestamp, type } = event;
    const isStart = type === 'workflow-start' || type === 'step-start';
    const ending = event['status'] === 'skipped' ? 'skipped' : endings[type];
    if (!isStart && ending === undefined) continue;
    const subject = `${type.split('-', 1)[0]} ${from}`;
    if (isStart) startTimes.set(subject, timestamp);
    entries.push({
      id: `${id}:${seq}`,
      type,
      name: type.startsWith('workflow-') ? workflowName : (workflow?.index.get(stepOf(from))?.step.name ?? from),
      from,
      startTime: startTimes.get(subject) ?? timestamp,
      endTime: timestamp,
      status: isStart ? 'running' : (ending ?? 'success'),
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
    });
  }
  return entries;
}

/** The id of the step of an instance: `approve` for `approve:3`. */
function stepOf(instance: string): string {
  return instance.split(':', 1)[0] ?? instance;
}
