import { AsyncLocalStorage } from 'node:async_hooks';

const activeWorkflow = new AsyncLocalStorage<string>();

/** Calls `work` as part of a workflow, including everything that `work` starts asynchronously. */
export function runInWorkflow<Result>(workflowId: string, work: () => Result): Result {
  return activeWorkflow.run(workflowId, work);
}

/** The id of the nearest workflow that the calling code is part of. */
export function activeWorkflowId(): string | undefined {
  return activeWorkflow.getStore();
}
