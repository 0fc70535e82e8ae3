import { currentCredential } from '../../access/credential.ts';
import { api, dataOf } from '../../api/client.ts';
import { runApi, runDataOf } from '../../api/run-client.ts';
import type { OperationDetails } from './bulk-operations.ts';
import { listExecutions } from './read-execution.ts';

/** Identifies an execution. */
export interface Place {
  readonly id: string;
  readonly workflowId: string;
}

/** What an operation came to. */
export interface Outcome {
  /** The execution that runs now: that of a replay is a new one. */
  readonly executionId: string;
  /** Absent: it goes on. */
  readonly status?: string;
}

const pollMs = 150;

/**
 * Changes one execution. The routes of a single execution belong to its user; with the console key, it is a bulk operation for this one.
 *
 * @throws Error that says why it was not changed.
 */
export async function applyOperation(place: Place, details: OperationDetails): Promise<Outcome> {
  return currentCredential()?.kind === 'key' ? applyInBulk(place, details) : applyAsUser(place, details);
}

async function applyInBulk({ id, workflowId }: Place, details: OperationDetails): Promise<Outcome> {
  let report = await dataOf(api.POST('/workflows/executions/bulk', { body: { ...details, filter: { ids: [id] } } }));
  const params = { path: { bulkId: report.bulkId } };
  while (report.endAt === null) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    report = await dataOf(api.GET('/workflows/executions/bulk/{bulkId}', { params }));
  }
  const refusal = report.failures[0] ?? report.skips[0] ?? report.error;
  if (refusal !== undefined) throw new Error(refusal.message);
  if (report.succeeded === 0)
    throw new Error('The console key changes a sub-workflow only together with the execution that started it.');
  if (details.operation !== 'replay') return { executionId: id };
  const { rows } = await listExecutions({
    workflowId,
    metadata: JSON.stringify({ replayedFrom: id }),
    events: false,
    limit: 1,
    offset: 0,
  });
  return { executionId: rows[0]?.id ?? id };
}

/** Waits until it ends, waits again or has run for a while. */
async function applyAsUser(
  { id: executionId, workflowId }: Place,
  { inputData, operation, reason, resumeData, stepId }: OperationDetails,
): Promise<Outcome> {
  const params = { path: { id: workflowId, executionId } };
  const data = resumeData === undefined ? {} : { resumeData };
  switch (operation) {
    case 'cancel': {
      const body = reason === undefined ? {} : { reason };
      return runDataOf(runApi.POST('/workflows/{id}/executions/{executionId}/cancel', { params, body }));
    }
    case 'resume': {
      const body = { ...data, ...(stepId !== undefined && { options: { stepId } }) };
      return runDataOf(runApi.POST('/workflows/{id}/executions/{executionId}/resume', { params, body }));
    }
    case 'retry':
      return runDataOf(runApi.POST('/workflows/{id}/executions/{executionId}/retry', { params }));
    case 'replay': {
      const body = { stepId: stepId ?? '', ...data, ...(inputData !== undefined && { inputData }) };
      return runDataOf(runApi.POST('/workflows/{id}/executions/{executionId}/replay', { params, body }));
    }
    default:
      return operation satisfies never;
  }
}
