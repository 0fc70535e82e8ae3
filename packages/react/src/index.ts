export {
  type AgentChat,
  type AgentChatOptions,
  type AgentMessage,
  type ApprovalResponseOptions,
  type PendingApproval,
  useAgentChat,
} from './use-agent-chat.ts';
export { type Approvals, type ApprovalsOptions, useApprovals } from './use-approvals.ts';
export { type ExecutionOptions, type LiveExecution, useExecution } from './use-execution.ts';
