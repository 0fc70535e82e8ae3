export {
  approverKeys,
  approverKeysOfUser,
  type ApprovalRules,
  type AskAgain,
  type ExpiryRules,
  type OnExpire,
  type StoredApprovalRules,
  type StoredExpiry,
  type StoredOnExpire,
  userRoles,
  userTenant,
} from './approvals/approval-rules.ts';
export type { ApprovalDecision, ApprovalStore, DecideOptions, OpenApproval } from './approvals/approval-store.ts';
export type {
  AuditActor,
  AuditFilter,
  AuditLog,
  AuditOutcome,
  AuditRecord,
  AuditTarget,
  NewAuditRecord,
} from './audit/audit-log.ts';
export type { AuthProvider, AuthRequest } from './users/auth-provider.ts';
export { checkRuntime } from './check-runtime.ts';
export { checkOptionNames, type OptionNames, unknownOptions } from './check-option-names.ts';
export {
  AbortedError,
  type ReplyWithoutObject,
  ConfigurationError,
  ConflictError,
  DefinitionChangedError,
  type ErrorKind,
  GuardrailBlockedError,
  HalyardError,
  type HalyardErrorOptions,
  InvalidInputError,
  isHalyardError,
  ModelFailedError,
  ModelKeyMissingError,
  NotFoundError,
  NotSuspendedError,
  ObjectNotGeneratedError,
  ProcessorFailedError,
  PromptTooLongError,
  StepFailedError,
  StoppedError,
  SuspensionTimeoutError,
  TimeLimitError,
  ToolFailedError,
  UnavailableError,
} from './errors.ts';
export type {
  AwaitedEvent,
  ConcurrencyLimit,
  Execution,
  ExecutionError,
  ExecutionEvent,
  ExecutionRequest,
  ExecutionStatus,
  JournalEntry,
  NewExecution,
  NewExecutionEvent,
  Resumption,
  Rewind,
  Suspension,
  Timer,
} from './executions/execution.ts';
export type { EventBroker } from './executions/event-broker.ts';
export type {
  EngineExecutions,
  EngineStorage,
  ExecutionEngine,
  ExecutionHost,
  Executions,
} from './executions/execution-engine.ts';
export type { ExecutionMirror } from './executions/execution-mirror.ts';
export type { ExecutionFilter, ExecutionIndex, ExecutionPage } from './executions/execution-index.ts';
export type {
  Backlog,
  ClaimNextOptions,
  ExecutionLeases,
  ExhaustedExecution,
  NextExecutions,
  Runner,
} from './executions/execution-leases.ts';
export type {
  Checkpoint,
  ClaimOptions,
  ClaimedExecution,
  Commit,
  CommitOutcome,
  CreateOptions,
  CreateOutcome,
  EventRange,
  ExecutionChange,
  ExecutionLog,
  Lease,
  Quarantine,
  Release,
  ResumeRequest,
  RewindRequest,
  StateRewind,
  Termination,
} from './executions/execution-log.ts';
export type { ExecutionStore } from './executions/execution-store.ts';
export type { DriverLoad, ExecutionDriver, SignalOptions } from './executions/execution-driver.ts';
export { defaultMaxTotal } from './executions/execution-index.ts';
export type { Conversation, NewConversation } from './conversations/conversation.ts';
export type {
  ClonedConversation,
  ConversationChange,
  ConversationClone,
  ConversationFilter,
  ConversationStore,
  MessageFilter,
  MessagePage,
  MessageSave,
  PartsSave,
  IndexedPart,
  SavedMessages,
  WaitingMessage,
} from './conversations/conversation-store.ts';
export { containsText, searchedLogs, searchedText, searchedTraces } from './telemetry/text-search.ts';
export { isExternalId, maxExternalIdLength } from './users/external-id.ts';
export { subjectForUser } from './users/subject-for-user.ts';
export { toUser } from './users/to-user.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { Clock, Ids, Logger, User } from './ports.ts';
export { monotonicTime, systemClock } from './system-clock.ts';
export type {
  Citation,
  DataPart,
  Message,
  MessagePart,
  MessageRole,
  StoredMessage,
  TextPart,
  ToolPart,
} from './conversations/message.ts';
export type { Owner } from './users/owner.ts';
export type { HistogramValue, Metric, MetricPoint, MetricSource } from './telemetry/metrics.ts';
export type { EventDelivery, NewPublishedEvent, Publication } from './executions/published-event.ts';
export type { Job } from './executions/job.ts';
export {
  type Attributes,
  type AttributeValue,
  type LogRecord,
  type NewSpan,
  type OpenRecorder,
  type Recorder,
  type RecorderFactory,
  type RecorderOptions,
  type Span,
  type SpanContext,
  type SpanEnd,
  type SpanEvent,
  type SpanKind,
  spanKinds,
  type SpanLink,
  type SpanRecord,
  type SpanStatusCode,
  spanStatusCodes,
  type TelemetrySink,
} from './telemetry/telemetry.ts';
export { isDevelopment, isProduction } from './environment.ts';
export { ForwardedLogger } from './forwarded-logger.ts';
export { silentLogger } from './silent-logger.ts';
export { cutText } from './cut-text.ts';
export { spanFailure } from './telemetry/span-failure.ts';
export { type ErrorOutcome, outcomeOfError } from './telemetry/error-outcome.ts';
export { toTraceStatus } from './telemetry/trace-status.ts';
export { describedBy, describedSpan } from './telemetry/described-span.ts';
export { type PlacedSpan, spansOfUser } from './telemetry/spans-of-user.ts';
export type {
  FeedbackRating,
  LogFilter,
  SpanFilter,
  TelemetryBatch,
  TelemetryPage,
  TelemetryStore,
  TraceFilter,
  TraceOrder,
  TraceStatus,
  TraceSummary,
} from './telemetry/telemetry-store.ts';
export { feedbackRatings, traceOrders } from './telemetry/telemetry-store.ts';
export {
  latencyBucketForDuration,
  latencyBuckets,
  latencyQuantile,
  type Measurement,
  toMeasurement,
  type MetricGroup,
  metricGroups,
  type MetricGroupSums,
  type MetricsQuery,
  type MetricSums,
  type TelemetryMetrics,
} from './telemetry/telemetry-metrics.ts';
export type {
  AppendOutcome,
  BeginOutcome,
  LiveStream,
  NewStream,
  StreamAppend,
  StreamChunks,
  StreamKey,
  StreamStore,
} from './conversations/stream-store.ts';
export type {
  DeletedUserData,
  PoolConnections,
  Storage,
  StorageSize,
  TableSize,
  UserDataStore,
  UserRecord,
} from './storage.ts';
export type { MessageVector, VectorMatch, VectorQuery, VectorStore } from './conversations/vector-store.ts';
export type { WorkingMemoryKey, WorkingMemoryStore } from './conversations/working-memory-store.ts';
export { asksPeople, requestIdOf } from './approvals/request-of-suspension.ts';
export {
  answerWorkflowPrefix,
  internalWorkflowPrefix,
  type WebhookData,
  type WebhookEventType,
  webhookEventTypes,
} from './webhooks/webhook-event.ts';
export { decisionOfResumption, type SettledDecision, settledDecision } from './webhooks/settled-decision.ts';
export type {
  StoredWebhookEndpoint,
  TakenWebhook,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookFilter,
  WebhookResult,
  WebhookStore,
} from './webhooks/webhook-store.ts';
