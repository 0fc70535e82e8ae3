export { Agent } from './agent/agent.ts';
export type {
  AgentEvent,
  AgentEventBody,
  DataEvent,
  FinishReason,
  ProviderMetadata,
  SourceEvent,
  StreamEvent,
  ToolCallEvent,
  ToolErrorEvent,
} from './agent/agent-event.ts';
export {
  type AgentOptions,
  type AgentTimeouts,
  defaultTimeouts,
  type BusyPolicy,
  type Resend,
  type RunContext,
  type RunOptions,
} from './agent/agent-options.ts';
export type { AgentServices } from './agent/agent-services.ts';
export type {
  EndedAgentRun,
  EndedExecutionRun,
  EndedModelCall,
  EndedToolCall,
  ExecutionRunEnd,
  RunEnd,
  RunMetrics,
} from './telemetry/run-metrics.ts';
export type { AgentStream } from './agent/agent-stream.ts';
export { type ApprovalRef, createApprovals, toApprovalRef } from './agent/approvals/approvals.ts';
export type { ApprovalRequest, Approvals, ApprovalsOptions, ApprovalSubject } from './agent/approvals/approvals.ts';
export { executionAnswers } from './agent/approvals/execution-answers.ts';
export { collectText, type TextReply } from './chat/collect-text.ts';
export { continueExecutions, type ContinueServices } from './chat/executions/continue-executions.ts';
export type { ContinuedRun } from './chat/executions/continued-run.ts';
export { type ChatKind, type ChatRequest, Chats, type ChatsOptions } from './chat/chats.ts';
export { continuedMessage, startChat } from './chat/start-chat.ts';
export { toTextReply } from './chat/to-text-reply.ts';
export { toStreamEvent } from './chat/to-stream-event.ts';
export { toUiChunks } from './chat/to-ui-chunks.ts';
export { settlesWithin } from './async/settles-within.ts';
export { consoleLogger, randomIds, systemClock } from './agent/default-services.ts';
export { errorText } from './agent/run/events.ts';
export {
  defaultMaxSteps,
  generationDefaults,
  type GenerationSettings,
  greatestMaxSteps,
} from './agent/generation-options.ts';
export type {
  LoopControl,
  PreparedStep,
  PrepareStep,
  RepairToolCall,
  StepToPrepare,
  StopCondition,
  ToolCallToRepair,
  ToolChoice,
} from './agent/loop-control.ts';
export type { Instructions } from './agent/instructions.ts';
export { compact, type CompactionOptions } from './agent/processors/compact.ts';
export {
  detectPromptInjection,
  type DetectPromptInjectionOptions,
} from './agent/processors/detect-prompt-injection.ts';
export type { PiiType } from './agent/processors/find-pii.ts';
export {
  type GuardrailVerdict,
  type InputGuardrail,
  inputGuardrail,
  type OutputGuardrail,
  outputGuardrail,
} from './agent/processors/guardrails.ts';
export type {
  ConversationHistory,
  HistoryQuestion,
  HistoryVerdict,
  InputSource,
  InputText,
  OutputSource,
  OutputText,
  OutputVerdict,
  Processor,
  StepPrompt,
  StepVerdict,
  TextVerdict,
} from './agent/processors/processor.ts';
export { tokenWindow, type TokenWindowOptions } from './agent/processors/token-window.ts';
export { redactPii, type RedactPiiOptions } from './agent/processors/redact-pii.ts';
export type { AgentHooks, EndInfo, HookRun, StepInfo, ToolEndInfo } from './agent/hooks.ts';
export {
  type MessageMetadata,
  type MetadataPart,
  type MetadataRequest,
  type UsageMetadata,
  usageMetadata,
} from './agent/message-metadata.ts';
export type { ToolDataPart, ToolWriter } from './tool/tool-data.ts';
export type { AgentJournal } from './agent/run/journal.ts';
export type { ArrayOptions, ChoiceOptions, ObjectOptions, SchemaHints } from './agent/objects/object-output.ts';
export type {
  ArrayEvent,
  ElementEvent,
  ObjectEvent,
  ObjectStream,
  PartialEvent,
} from './agent/objects/object-stream.ts';
export type { ChunkDetector, SmoothStreamOptions } from './agent/smoothing/smooth-stream.ts';
export type { ParentRun } from './agent/run/run.ts';
export {
  type SuspensionAnswer,
  RunSuspended,
  type CallSuspension,
  type RunSuspensions,
} from './agent/run/suspensions.ts';
export type { GeneratedFile } from './agent/generated-file.ts';
export type {
  ObjectResult,
  ReasoningResult,
  ResponseMetadata,
  StepResult,
  TextResult,
  ToolCallRecord,
  ToolCallResult,
  ToolOutputResult,
  ToolResultRecord,
} from './agent/run-result.ts';
export type { AgentToolOptions } from './agent/sub-agent-tool.ts';
export type { ToolOutputOf, TypedResult, TypedStep } from './agent/typed-results.ts';
export type { Usage } from './agent/usage.ts';
export type { BulkCaller, BulkOperation, BulkOperations, BulkPreview } from './workflow/bulk/bulk-operations.ts';
export type { BulkRefusal, BulkReport } from './workflow/bulk/bulk-report.ts';
export type {
  BulkAction,
  BulkFilter,
  BulkOperationName,
  BulkRequest,
  BulkSelection,
} from './workflow/bulk/bulk-request.ts';
export type { EventToPublish, PublishResult } from './workflow/engine/accept-event.ts';
export type { LiveEvent } from './workflow/follow/execution-bus.ts';
export type { ExecutionFollower, FollowedEvent } from './workflow/follow/follow-execution.ts';
export type { ExecutionQueueOptions } from './workflow/engine/driver/queue-options.ts';
export { networkOf } from './services/network-of.ts';
export { type NoSlot, Shares, type SharesOptions } from './services/shares.ts';
export { isoTime } from './json/iso-time.ts';
export { type RunResult, runResult } from './workflow/engine/run-result.ts';
export { answerSchemaOf } from './workflow/interpreter/waits/answer-schema.ts';
export { expiryOf, reportSuspension, type SuspensionReport } from './workflow/interpreter/waits/suspension-report.ts';
export type {
  ExecutionKey,
  ReplayOptions,
  ResumeOptions,
  StartOptions,
  WaitOptions,
  WorkflowRuntimeOptions,
} from './workflow/engine/runtime-options.ts';
export type { ScheduleListOptions, SchedulePage, Schedules } from './workflow/schedules/schedules.ts';
export type { ScheduleKey, ScheduleSettings, StoredSchedule } from './workflow/schedules/stored-schedule.ts';
export { listExecutions, type ListedExecutions, type ListOptions } from './workflow/engine/list-executions.ts';
export { WorkflowRuntime } from './workflow/engine/workflow-runtime.ts';
export type { Jsonify } from './json/jsonify.ts';
export type { McpExchange, McpServer, McpTool, McpToolKind, McpTransport } from './mcp/mcp-server.ts';
export { createMemory, Memory, type MemorySearch } from './memory/memory.ts';
export type {
  MemoryLimits,
  MemoryOptions,
  MergeStrategy,
  PersistenceSettings,
  SemanticRecallOptions,
  TitleOptions,
  WorkingMemoryOptions,
  WorkingMemoryScope,
} from './memory/memory-options.ts';
export type { MemorySettings, RecallSettings, TitleSettings } from './memory/memory-options.ts';
export type { RunMemoryOptions, RunMemorySettings } from './memory/run-memory-settings.ts';
export type {
  WorkingMemoryContent,
  WorkingMemoryPlace,
  WorkingMemoryWrite,
} from './memory/working-memory/working-memory.ts';
export type { RetryOptions } from './model/retry-delay.ts';
export type { EmbeddingModel } from './model/embedding-model.ts';
export { downloadFile } from './model/file-download.ts';
export type {
  AgentInput,
  InputUIMessage,
  LanguageModel,
  ModelMessage,
  SystemMessage,
  UIMessage,
  UIMessageChunk,
} from './model/message.ts';
export type { ReasoningEffort } from './model/model-port.ts';
export type { ModelRegistry } from './model/model-registry.ts';
export type { ModelChoice } from './model/resolve-models.ts';
export type { AccessLevel } from './tool/access-level.ts';
export type { Collection } from './tool/collection.ts';
export { createRegistry, type RegisteredTool, type Registry, type RegistryOptions } from './registry.ts';
export { compileSchema, type CompiledSchema } from './schema/compile-schema.ts';
export { ClientSchemas, type ClientSchemasOptions, type SchemaSender } from './schema/untrusted/client-schemas.ts';
export { describeErrors } from './schema/describe-errors.ts';
export type { InferSchema, JsonSchema, Schema } from './schema/schema.ts';
export { boundedText, contentLimit } from './telemetry/attributes/bounded-json.ts';
export { CorrelatedLogger } from './telemetry/correlated-logger.ts';
export { createRecorder, type InProcessRecorderOptions } from './telemetry/create-recorder.ts';
export type { ModelPrice, ModelPrices } from './telemetry/add-cost.ts';
export { Telemetry, type TelemetryEvent, type TelemetryOptions } from './telemetry/telemetry.ts';
export { parseTraceParent } from './telemetry/trace-parent.ts';
export { createTool } from './tool/create-tool.ts';
export { outputForModel, type OutputForModel } from './tool/output-for-model.ts';
export { acceptToolInput, runTool } from './tool/run-tool.ts';
export { type RecordedToolOptions, runToolRecorded } from './tool/run-tool-recorded.ts';
export type { ProviderTool } from './tool/provider-tool.ts';
export type { SdkTool } from './tool/sdk-tool.ts';
export type { ToolsOption } from './tool/tools-option.ts';
export type {
  NeedsApproval,
  Tool,
  ApprovalContext,
  ToolContext,
  ToolModelOutput,
  ToModelOutput,
  ToolOptions,
  ToolOutputToConvert,
  ToolWorkflow,
} from './tool/tool.ts';
export { createWorkflow, type WorkflowOptions } from './workflow/create-workflow.ts';
export { isReservedExecutionId } from './workflow/reserved-execution-id.ts';
export type { LoopOptions } from './workflow/steps/loop.ts';
export type {
  DataContext,
  ExecutionInfo,
  Flow,
  CompensationContext,
  StepContext,
  StepData,
  StepWriter,
  SuspendTimeLimit,
} from './workflow/definition/step-context.ts';
export {
  type AnyStep,
  type BodyOptions,
  type Step,
  type StepOptions,
  type StepRetries,
  type StepType,
  stepTypes,
} from './workflow/definition/step.ts';
export { andAgent, type AgentOutput, type AgentStepOptions } from './workflow/steps/and-agent.ts';
export { andAll, type AllOptions, type OutputsOf } from './workflow/steps/and-all.ts';
export { andBranch, type BranchCase, type BranchOptions, type BranchOutputs } from './workflow/steps/and-branch.ts';
export { andDoUntil } from './workflow/steps/and-do-until.ts';
export { andDoWhile } from './workflow/steps/and-do-while.ts';
export {
  andForEach,
  type ForEachItemOptions,
  type ForEachOptions,
  type ItemOf,
  type KnownItem,
} from './workflow/steps/and-for-each.ts';
export {
  andGuardrail,
  type DataGuardrail,
  type DataVerdict,
  type GuardrailOptions,
} from './workflow/steps/and-guardrail.ts';
export { andJoin, type ExecutionsToJoin, type JoinOptions } from './workflow/steps/and-join.ts';
export { andMap, type MapOptions, type MapOutput, type MapSource } from './workflow/steps/and-map.ts';
export { andRace, type RaceOptions } from './workflow/steps/and-race.ts';
export {
  andRun,
  type CalledEventOptions,
  type CalledStepOptions,
  type CodeContext,
  type RunStepOptions,
} from './workflow/steps/and-run.ts';
export { andSleepUntil, type Moment, type SleepUntilOptions } from './workflow/steps/and-sleep-until.ts';
export { andSleep, type SleepOptions } from './workflow/steps/and-sleep.ts';
export {
  andStart,
  type StartedExecution,
  type StartInputOptions,
  type StartStepOptions,
} from './workflow/steps/and-start.ts';
export type { JoinedExecution } from './workflow/interpreter/step/join-executions.ts';
export type { StartByStepOptions } from './workflow/interpreter/step/start-execution.ts';
export { andTap, type TapOptions } from './workflow/steps/and-tap.ts';
export { andThen, type ThenOptions } from './workflow/steps/and-then.ts';
export { andTry, type FailureCause, type TryFailure, type TryOptions } from './workflow/steps/and-try.ts';
export {
  andWaitForEvent,
  type EventOutput,
  type EventPublisher,
  type WaitForEventOptions,
} from './workflow/steps/and-wait-for-event.ts';
export { andWhen, type WhenOptions } from './workflow/steps/and-when.ts';
export { andWorkflow, type WorkflowInputOptions, type WorkflowStepOptions } from './workflow/steps/and-workflow.ts';
export type {
  ConcurrencyOptions,
  DebounceOptions,
  FlowControl,
  SingletonOptions,
  ThrottleOptions,
} from './workflow/definition/flow-control.ts';
export type { WorkflowDefinition } from './workflow/definition/workflow-definition.ts';
export type { StepHookInfo, WorkflowHooks } from './workflow/definition/workflow-hooks.ts';
export type { ScheduleOptions, WorkflowSchedule } from './workflow/definition/workflow-schedule.ts';
export { type AnyWorkflow, type RunWorkflowOptions, Workflow, type WorkflowStream } from './workflow/workflow.ts';
