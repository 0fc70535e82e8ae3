export { Agent, type ObjectOptions } from './agent/agent.ts';
export type {
  AgentEvent,
  AgentEventBody,
  FinishReason,
  ProviderMetadata,
  SourceEvent,
  ToolCallEvent,
  ToolErrorEvent,
} from './agent/agent-event.ts';
export {
  type AgentOptions,
  type AgentTimeouts,
  defaultTimeouts,
  type RunContext,
  type RunOptions,
} from './agent/agent-options.ts';
export type { AgentServices } from './agent/agent-services.ts';
export type { AgentStream } from './agent/agent-stream.ts';
export {
  type ApprovalRequest,
  type Approvals,
  type ApprovalsOptions,
  type ApprovalSubject,
  createApprovals,
} from './agent/approvals.ts';
export { consoleLogger, randomIds, systemClock } from './agent/default-services.ts';
export { errorText } from './agent/error-text.ts';
export { EventStream, type EventStreamLimits } from './agent/event-stream.ts';
export {
  defaultMaxSteps,
  generationDefaults,
  type GenerationSettings,
  greatestMaxSteps,
} from './agent/generation-options.ts';
export type { GuardrailVerdict, InputGuardrail, OutputGuardrail } from './agent/guardrails.ts';
export type { AgentHooks, EndInfo, HookRun, StepInfo, ToolEndInfo } from './agent/hooks.ts';
export type { AgentJournal } from './agent/journal.ts';
export type { ObjectEvent, ObjectStream } from './agent/object-stream.ts';
export type { ParentRun } from './agent/parent-run.ts';
export type { ObjectResult, TextResult, ToolCallRecord, ToolResultRecord } from './agent/run-result.ts';
export type { AgentToolOptions } from './agent/sub-agent-tool.ts';
export type { Usage } from './agent/usage.ts';
export type { RetryOptions } from './model/call-model.ts';
export { downloadFile } from './model/file-download.ts';
export type {
  AgentInput,
  InputUIMessage,
  LanguageModel,
  ModelMessage,
  UIMessage,
  UIMessageChunk,
} from './model/message.ts';
export type { ModelChoice } from './model/resolve-models.ts';
export { createRegistry, type RegisteredTool, type Registry, type RegistryOptions } from './registry/registry.ts';
export { compileSchema, type CompiledSchema } from './schema/compile-schema.ts';
export { compileUntrustedSchema } from './schema/compile-untrusted-schema.ts';
export { describeErrors } from './schema/describe-errors.ts';
export type { InferSchema, JsonSchema, Schema } from './schema/schema.ts';
export { createTool } from './tool/create-tool.ts';
export { acceptToolInput, runTool } from './tool/run-tool.ts';
export type { NeedsApproval, Tool, ToolContext, ToolOptions } from './tool/tool.ts';
