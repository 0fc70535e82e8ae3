import { currentCredential } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import { runApi, readRunData } from '../../api/run-client.ts';
import type { OperationDetails } from './bulk-operations.ts';

/** Identifies an execution. */
export interface Place {
  readonly id: string;
  readonly workflowId: string;
}

/** The result of an operation. */
export interface Outcome {
  /** The execution that runs now: that of a replay is a new one. */
  readonly executionId: string;
  /** Absent: it goes on. */
  readonly status?: string;
}

const pollMs = 150;

/** A change of one execution. `suspensionId`: the suspension that it resumes. */
type Change = OperationDetails & { readonly suspensionId?: string };

/**
 * Changes one execution, and waits until it ends, waits again or has run for a while.
 *
 * @throws Error that says why it was not changed.
 */
export async function applyOperation(
  { id: executionId, workflowId }: Place,
  { inputData, operation, reason, resumeData, stepId, suspensionId }: Change,
): Promise<Outcome> {
  const { readReply, client, hasKey } = clientOfCaller();
  const params = { path: { id: workflowId, executionId } };
  const data = resumeData === undefined ? {} : { resumeData };
  switch (operation) {
    case 'cancel': {
      if (hasKey) return cancelInBulk(executionId, reason);
      const body = reason === undefined ? {} : { reason };
      return readReply(client.POST('/workflows/{id}/executions/{executionId}/cancel', { params, body }));
    }
    case 'resume': {
      const options = { ...(stepId !== undefined && { stepId }), ...(suspensionId !== undefined && { suspensionId }) };
      const body = { ...data, options };
      return readReply(client.POST('/workflows/{id}/executions/{executionId}/resume', { params, body }));
    }
    case 'retry':
      return readReply(client.POST('/workflows/{id}/executions/{executionId}/retry', { params }));
    case 'replay': {
      const body = { stepId: stepId ?? '', ...data, ...(inputData !== undefined && { inputData }) };
      return readReply(client.POST('/workflows/{id}/executions/{executionId}/replay', { params, body }));
    }
    default:
      return operation satisfies never;
  }
}

/**
 * Ends an execution at once, whether a process can run it or not. @throws Error that says why it
 * was not ended.
 */
export async function terminateExecution(
  { id: executionId, workflowId }: Place,
  body: { readonly reason?: string },
): Promise<void> {
  const { readReply, client } = clientOfCaller();
  const params = { path: { id: workflowId, executionId } };
  await readReply(client.POST('/workflows/{id}/executions/{executionId}/terminate', { params, body }));
}

function clientOfCaller() {
  return currentCredential()?.kind === 'key'
    ? { client: api, readReply: readData, hasKey: true }
    : { client: runApi, readReply: readRunData, hasKey: false };
}

/** The route that cancels one execution belongs to its user. */
async function cancelInBulk(id: string, reason: string | undefined): Promise<Outcome> {
  const operation = { operation: 'cancel' as const, ...(reason !== undefined && { reason }) };
  let report = await readData(
    api.POST('/workflows/executions/bulk', { body: { ...operation, filter: { ids: [id] } } }),
  );
  const params = { path: { bulkId: report.bulkId } };
  while (report.endAt === null) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    report = await readData(api.GET('/workflows/executions/bulk/{bulkId}', { params }));
  }
  const refusal = report.failures[0] ?? report.skips[0] ?? report.error;
  if (refusal !== undefined) throw new Error(refusal.message);
  if (report.succeeded === 0)
    throw new Error('The console key changes a sub-workflow only together with the execution that started it.');
  return { executionId: id };
}
