import { type ExecutionError, isHalyardError, StepFailedError } from '@halyard/contracts';

/** What clients may read of an error that ended an execution. */
export function executionError(workflowId: string, error: unknown): ExecutionError {
  if (error instanceof StepFailedError) return { message: error.message, stepId: error.stepId, code: error.code };
  if (isHalyardError(error) && error.kind !== 'internal') return { message: error.message, code: error.code };
  return { message: `Workflow "${workflowId}" failed`, code: 'WORKFLOW_FAILED' };
}
