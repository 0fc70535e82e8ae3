/**
 * The API for servers of Halyard and their adapters. It may change in any release: apps import from
 * `@halyard/core`.
 */
export { defaultTimeouts, type InternalRunOptions, type Resend } from './agent/agent-options.ts';
export type { AgentServices, ExpiredRequest, ShadowedCall } from './agent/agent-services.ts';
export type { ApprovalGrant, GrantedCalls } from './agent/approvals/approval-grants.ts';
export { findAskingAgent, findRequestedTool } from './agent/approvals/delegated-calls.ts';
export {
  allowsAlways,
  type ApprovalRequest,
  type Approvals,
  createApprovals,
  hasApprovalRules,
  type Responder,
  rulesOf,
  type SettledApproval,
  toApprovalRef,
} from './agent/approvals/approvals.ts';
export { approvalExpiryId, openRound } from './agent/approvals/expiring-request.ts';
export { expiredReason } from './agent/approvals/expiry-rules.ts';
export { changedInput, checkInputChange, toApprovalContext } from './agent/approvals/changed-input.ts';
export { answerableRequest, decisionsKey } from './workflow/interpreter/waits/approval-of-suspension.ts';
export { randomIds, systemClock } from './agent/default-services.ts';
export { generationDefaults } from './agent/generation-options.ts';
export { notStoredWarning } from './agent/not-stored.ts';
export type { ArrayEvent } from './agent/objects/object-stream.ts';
export { errorText } from './agent/loop/events.ts';
export { createTrial, pricedTrial, type TrialOptions, type TrialTool } from './agent/trial.ts';
export { finishesWithin } from './async/finishes-within.ts';
export { type CostOfCall, costByPrices, type PricedCall } from './telemetry/add-cost.ts';
export { approvalExpiryWorkflow, type ExpiredRound } from './chat/approval-expiry.ts';
export { Chats } from './chat/chats.ts';
export { collectText, type TextReply } from './chat/collect-text.ts';
export { extendedMessage } from './chat/extended-message.ts';
export { resumeExecutions, type ResumeServices } from './chat/executions/resume-executions.ts';
export { toStreamEvent } from './chat/to-stream-event.ts';
export { toText } from './chat/to-text.ts';
export { toTextReply } from './chat/to-text-reply.ts';
export { toUiChunks } from './chat/to-ui-chunks.ts';
export { isoTime } from './json/iso-time.ts';
export type { McpExchange, McpServer, McpTool, McpToolKind, McpTransport } from './mcp/mcp-server.ts';
export { type AddressCheck, checkedRequest } from './services/checked-request.ts';
export { downloadFile } from './model/files/file-download.ts';
export type { InputUIMessage } from './model/messages/message.ts';
export { createRegistry, type RegisteredTool, type Registry, type RegistryOptions } from './registry.ts';
export { type CompiledSchema, compileSchema } from './schema/compile-schema.ts';
export { describeErrors } from './schema/describe-errors.ts';
export { ClientSchemas } from './schema/untrusted/client-schemas.ts';
export { networkForAddress } from './services/network-for-address.ts';
export { Shares } from './services/shares.ts';
export { createRecorder } from './telemetry/create-recorder.ts';
export type {
  EndedAgentRun,
  EndedExecutionRun,
  EndedModelCall,
  EndedToolCall,
  RunMetrics,
} from './telemetry/run-metrics.ts';
export { Telemetry, type TelemetryEvent } from './telemetry/telemetry.ts';
export { parseTraceParent } from './telemetry/trace-parent.ts';
export type { Collection } from './tool/collection.ts';
export { outputForModel, type OutputForModel } from './tool/output-for-model.ts';
export { runToolRecorded } from './tool/run-tool-recorded.ts';
export { acceptToolInput } from './tool/run-tool.ts';
export type { ToolModelOutput } from './tool/tool.ts';

export type { BulkOperation } from './workflow/bulk/bulk-operations.ts';
export type { BulkAction, BulkFilter, BulkSelection } from './workflow/bulk/bulk-request.ts';
export type { FlowControl } from './workflow/definition/flow-control.ts';
export { type StepType, stepTypes } from './workflow/definition/step.ts';
export { isFrameworkWorkflow, type WorkflowDefinition } from './workflow/definition/workflow-definition.ts';
export { listExecutions } from './workflow/engine/list-executions.ts';
export type { ExecutionFollower } from './workflow/follow/follow-execution.ts';
export { resumeSchemaForExecution } from './workflow/interpreter/waits/resume-schema.ts';
export { findExpiry, reportSuspension } from './workflow/interpreter/waits/suspension-report.ts';
export { isReservedExecutionId } from './workflow/reserved-execution-id.ts';
export type { CalledStepOptions } from './workflow/steps/and-run.ts';
