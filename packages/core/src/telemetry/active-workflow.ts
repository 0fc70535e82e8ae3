import { AsyncLocalStorage } from 'node:async_hooks';
import { isChatWorkflow } from '../chat/durable/chat-workflow-id.ts';

const activeWorkflow = new AsyncLocalStorage<string>();

/**
 * Calls `work` as part of a workflow, including everything that `work` starts asynchronously. The
 * execution of a durable reply is no workflow of the app.
 */
export function runInWorkflow<Result>(workflowId: string, work: () => Result): Result {
  return isChatWorkflow(workflowId) ? work() : activeWorkflow.run(workflowId, work);
}

/** The id of the nearest workflow that the calling code is part of. */
export function activeWorkflowId(): string | undefined {
  return activeWorkflow.getStore();
}
