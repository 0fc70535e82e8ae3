import type { Execution, ExecutionEvent } from '@halyard/contracts';
import { isoTime, reportSuspension, type WorkflowDefinition } from '@halyard/core';
import type { ExecutionRecord, ExecutionRecordEvent } from '../schemas/execution-record.ts';
import type { ExecutionState, PendingSuspension } from '../schemas/execution-state.ts';

/** @param workflow as it is now; undefined when it is not registered any more. */
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
  return { id: execution.id, ...fieldsOf(execution, workflow), events: toRecordEvents(execution, events, workflow) };
}

function fieldsOf(
  execution: Execution,
  workflow: WorkflowDefinition | undefined,
): Omit<ExecutionRecord, 'id' | 'events'> {
  const { conversationId, createdAt, input, metadata, output, status, updatedAt, userId } = execution;
  const { suspensions, workflowId, workflowName, workflowState } = execution;
  const [earliest] = suspensions;
  return {
    workflowId,
    workflowName,
    status,
    input,
    ...(output !== undefined && { output }),
    workflowState,
    suspension: earliest === undefined ? null : toPendingSuspension(execution, earliest, workflow),
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

/** How an event that ends something says how it ended. */
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
    const what = `${type.split('-', 1)[0]} ${from}`;
    if (isStart) startTimes.set(what, timestamp);
    entries.push({
      id: `${id}:${seq}`,
      type,
      name: type.startsWith('workflow-') ? workflowName : (workflow?.index.get(stepOf(from))?.step.name ?? from),
      from,
      startTime: startTimes.get(what) ?? timestamp,
      endTime: timestamp,
      status: isStart ? 'running' : (ending ?? 'success'),
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
    });
  }
  return entries;
}

/** The step that an instance is of: `approve` of `approve:3`. */
function stepOf(instance: string): string {
  return instance.split(':', 1)[0] ?? instance;
}
