/** The API of apps. Servers and adapters find more in `@halyard/core/server`. */
export type {
  AgentEvent,
  FinishReason,
  ProviderMetadata,
  SourceEvent,
  StreamEvent,
  ToolCallEvent,
} from './agent/agent-event.ts';
export type { AgentOptions, AgentTimeouts, BusyPolicy, RunContext, RunOptions } from './agent/agent-options.ts';
export type { AgentStream } from './agent/agent-stream.ts';
export { Agent } from './agent/agent.ts';
export type { GeneratedFile } from './agent/generated-file.ts';
export type { GenerationSettings } from './agent/generation-options.ts';
export type { AgentHooks, EndInfo, HookRun, StepInfo, ToolEndInfo } from './agent/hooks.ts';
export type { Instructions } from './agent/instructions.ts';
export type {
  PreparedStep,
  PrepareStep,
  RepairToolCall,
  StepToPrepare,
  StopCondition,
  ToolChoice,
} from './agent/loop-control.ts';
export { type MessageMetadata, usageMetadata } from './agent/message-metadata.ts';
export type { ArrayOptions, ChoiceOptions, ObjectOptions } from './agent/objects/object-output.ts';
export type { ObjectEvent, ObjectStream } from './agent/objects/object-stream.ts';
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
export type { Processor } from './agent/processors/processor.ts';
export { redactPii, type RedactPiiOptions } from './agent/processors/redact-pii.ts';
export { tokenWindow, type TokenWindowOptions } from './agent/processors/token-window.ts';
export type {
  ObjectResult,
  ReasoningResult,
  ResponseMetadata,
  StepResult,
  TextResult,
  ToolCallResult,
  ToolOutputResult,
} from './agent/run-result.ts';
export type { SmoothStreamOptions } from './agent/smoothing/smooth-stream.ts';
export type { AgentToolOptions } from './agent/sub-agent-tool.ts';
export type { ToolOutputOf, TypedResult, TypedStep } from './agent/typed-results.ts';
export type { Usage } from './agent/usage.ts';
export type { Jsonify } from './json/jsonify.ts';
export type {
  MemoryOptions,
  MergeStrategy,
  SemanticRecallOptions,
  TitleOptions,
  WorkingMemoryOptions,
  WorkingMemoryScope,
} from './memory/memory-options.ts';
export { createMemory, Memory } from './memory/memory.ts';
export type { RunMemoryOptions } from './memory/run-memory-settings.ts';
export type { EmbeddingModel } from './model/providers/embedding-model.ts';
export type {
  AgentInput,
  LanguageModel,
  ModelMessage,
  SystemMessage,
  UIMessage,
  UIMessageChunk,
} from './model/messages/message.ts';
export type { ReasoningEffort } from './model/providers/model-port.ts';
export type { ModelRegistry } from './model/providers/model-registry.ts';
export type { ModelChoice } from './model/providers/resolve-models.ts';
export type { RetryOptions } from './model/providers/retry-delay.ts';
export type { InferSchema, JsonSchema, Schema } from './schema/schema.ts';
export type { ModelPrice, ModelPrices } from './telemetry/add-cost.ts';
export type { AccessLevel } from './tool/access-level.ts';
export { createTool } from './tool/create-tool.ts';
export type { ProviderTool } from './tool/provider-tool.ts';
export type { SdkTool } from './tool/sdk-tool.ts';
export type { ToolWriter } from './tool/tool-data.ts';
export type {
  ApprovalContext,
  NeedsApproval,
  ToModelOutput,
  Tool,
  ToolContext,
  ToolOptions,
  ToolWorkflow,
} from './tool/tool.ts';
export type { ToolsOption } from './tool/tools-option.ts';
export type { BulkReport } from './workflow/bulk/bulk-report.ts';
export type { BulkRequest } from './workflow/bulk/bulk-request.ts';
export { createWorkflow, type WorkflowOptions } from './workflow/create-workflow.ts';
export type {
  ConcurrencyOptions,
  DebounceOptions,
  SingletonOptions,
  ThrottleOptions,
} from './workflow/definition/flow-control.ts';
export type {
  CompensationContext,
  DataContext,
  ExecutionInfo,
  Flow,
  StepContext,
  StepData,
  StepWriter,
} from './workflow/definition/step-context.ts';
export type {
  BodyOutput,
  FlowAfter,
  OutputsInside,
  Step,
  StepOptions,
  StepOutput,
  StepRetries,
} from './workflow/definition/step.ts';
export type { StepHookInfo, WorkflowHooks } from './workflow/definition/workflow-hooks.ts';
export type { ScheduleOptions } from './workflow/definition/workflow-schedule.ts';
export type { EventToPublish, PublishResult } from './workflow/engine/accept-event.ts';
export type { ExecutionQueueOptions } from './workflow/engine/driver/queue-options.ts';
export type { ListedExecutions, ListOptions } from './workflow/engine/list-executions.ts';
export type { RunResult } from './workflow/engine/run-result.ts';
export type {
  ExecutionKey,
  ReplayOptions,
  ResumeOptions,
  StartOptions,
  WaitOptions,
  WorkflowRuntimeOptions,
} from './workflow/engine/runtime-options.ts';
export { WorkflowRuntime } from './workflow/engine/workflow-runtime.ts';
export type { FollowedEvent } from './workflow/follow/follow-execution.ts';
export type { JoinedExecution } from './workflow/interpreter/step/join-executions.ts';
export type { SuspensionReport } from './workflow/interpreter/waits/suspension-report.ts';
export type { Schedules } from './workflow/schedules/schedules.ts';
export type { ScheduleSettings, StoredSchedule } from './workflow/schedules/stored-schedule.ts';
export { type AgentOutput, andAgent } from './workflow/steps/and-agent.ts';
export { type AllOutput, andAll, type OutputsOf } from './workflow/steps/and-all.ts';
export { andBranch, type BranchOutputs, type OutputsInBranches } from './workflow/steps/and-branch.ts';
export { andDoUntil } from './workflow/steps/and-do-until.ts';
export { andDoWhile } from './workflow/steps/and-do-while.ts';
export { andForEach } from './workflow/steps/and-for-each.ts';
export { andGuardrail } from './workflow/steps/and-guardrail.ts';
export { andJoin } from './workflow/steps/and-join.ts';
export { andMap, type MapOutput, type MapSource } from './workflow/steps/and-map.ts';
export { andRace } from './workflow/steps/and-race.ts';
export { andRun, type CodeContext } from './workflow/steps/and-run.ts';
export { andSleepUntil } from './workflow/steps/and-sleep-until.ts';
export { andSleep } from './workflow/steps/and-sleep.ts';
export { andStart, type StartedExecution } from './workflow/steps/and-start.ts';
export { andTap } from './workflow/steps/and-tap.ts';
export { andThen, type ThenOptions } from './workflow/steps/and-then.ts';
export { andTry, type FailureCause, type TryFailure } from './workflow/steps/and-try.ts';
export { andWaitForEvent, type EventOutput, type EventPublisher } from './workflow/steps/and-wait-for-event.ts';
export { andWhen } from './workflow/steps/and-when.ts';
export { andWorkflow } from './workflow/steps/and-workflow.ts';
export { type AnyWorkflow, type RunWorkflowOptions, Workflow, type WorkflowStream } from './workflow/workflow.ts';
