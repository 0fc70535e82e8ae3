import { answerWorkflowPrefix as prefix } from '@halyard/contracts';

/** The id of the workflow that runs the durable replies of an agent. */
export function chatWorkflowId(agentId: string): string {
  return prefix + agentId;
}

/** Whether the workflow runs durable replies: the run of the agent is the request, not its own. */
export function isChatWorkflow(workflowId: string): boolean {
  return workflowId.startsWith(prefix);
}
