import type { Execution, ExecutionEvent } from '@halyard/contracts';
import { resumeSchemaForExecution, isoTime, reportSuspension, type WorkflowDefinition } from '@halyard/core/server';
import type {
  ExecutionRecord,
  ExecutionRecordEvent,
  ExecutionState,
  PendingSuspension,
  WaitingStep,
} from './schemas.ts';

/** @param workflow the current definition; undefined if it is no longer registered. */
export function toExecutionState(execution: Execution, workflow: WorkflowDefinition | undefined): ExecutionState {
  const { context, createdAt, endedAt, id, rewinds, suspensions } = execution;
  return {
    executionId: id,
    ...readFields(execution, workflow),
    startAt: isoTime(createdAt),
    endAt: endedAt === null ? null : isoTime(endedAt),
    context,
    suspensions: suspensions.map((suspension) => toWaitingStep(execution, suspension, workflow)),
    rewinds: rewinds.map(({ paths, seq }) => ({ paths: [...paths], seq })),
  };
}

/** @param events undefined: the record is without them. */
export function toExecutionRecord(
  execution: Execution,
  events: readonly ExecutionEvent[] | undefined,
  workflow: WorkflowDefinition | undefined,
): ExecutionRecord {
  return {
    id: execution.id,
    ...readFields(execution, workflow),
    events: events === undefined ? [] : toRecordEvents(execution, events, workflow),
    ...((events?.at(-1)?.seq ?? 0) < execution.seq && { hasMoreEvents: true as const }),
  };
}

function readFields(
  execution: Execution,
  workflow: WorkflowDefinition | undefined,
): Omit<ExecutionRecord, 'id' | 'events'> {
  const { conversationId, createdAt, error, input, metadata, output, status, updatedAt, userId } = execution;
  const { quarantinedAt, suspensions, waitingSince, workflowId, workflowName, workflowState } = execution;
  const [earliest] = suspensions;
  return {
    workflowId,
    workflowName,
    status,
    input,
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    workflowState,
    suspension: earliest === undefined ? null : toPendingSuspension(execution, earliest, workflow),
    ...(quarantinedAt !== null && { quarantinedAt: isoTime(quarantinedAt) }),
    ...(waitingSince !== null && { waitingSince: isoTime(waitingSince) }),
    ...(execution.parentExecutionId !== null && {
      parentExecutionId: execution.parentExecutionId,
      parentStep: execution.path,
    }),
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

function toWaitingStep(
  execution: Execution,
  suspension: Execution['suspensions'][number],
  workflow: WorkflowDefinition | undefined,
): WaitingStep {
  const { event, executionId } = suspension;
  const schema = resumeSchemaForExecution(execution, workflow, suspension);
  return {
    ...toPendingSuspension(execution, suspension, workflow),
    executionId,
    ...(event !== undefined && { event: { name: event.name, key: event.key } }),
    ...(schema !== undefined && { resumeSchema: schema.jsonSchema }),
  };
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
      name: type.startsWith('workflow-') ? workflowName : (workflow?.index.get(toStepName(from))?.step.name ?? from),
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
function toStepName(instance: string): string {
  return instance.split(':', 1)[0] ?? instance;
}
