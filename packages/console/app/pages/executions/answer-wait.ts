import { currentCredential } from '../../access/credential.ts';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { applyOperation, type Outcome } from './apply-operation.ts';

type ExecutionState = components['schemas']['ExecutionState'];
type WaitingStep = components['schemas']['WaitingStep'];

/** Answers what an execution waits for: the console key by the inbox of approvals, a user by resuming the execution. */
export async function answerWait(
  { executionId, workflowId }: Pick<ExecutionState, 'executionId' | 'workflowId'>,
  { id, kind, stepId }: WaitingStep,
  resumeData: unknown,
): Promise<Outcome> {
  // The inbox has no requests that an event answers.
  if (currentCredential()?.kind === 'key' && kind !== 'event') {
    const answer = kind === 'approval' ? decisionOf(resumeData) : { ...(resumeData !== undefined && { resumeData }) };
    await dataOf(api.POST('/approvals/answer', { body: { id, executionId, ...answer } }));
    return { executionId };
  }
  return applyOperation(
    { id: executionId, workflowId },
    {
      operation: 'resume',
      ...(resumeData !== undefined && { resumeData }),
      // A request to suspend has no step of its own.
      ...(kind !== 'request' && { stepId }),
    },
  );
}

function decisionOf(resumeData: unknown): { approved?: boolean; reason?: string } {
  const { approved, reason } = (resumeData ?? {}) as { readonly approved?: unknown; readonly reason?: unknown };
  return {
    ...(typeof approved === 'boolean' && { approved }),
    ...(typeof reason === 'string' && { reason }),
  };
}
