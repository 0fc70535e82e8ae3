export type { AuthProvider, AuthRequest } from './auth-provider.ts';
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
} from './execution.ts';
export type { EventBroker } from './event-broker.ts';
export type {
  EngineExecutions,
  EngineStorage,
  ExecutionEngine,
  ExecutionHost,
  Executions,
} from './execution-engine.ts';
export type { ExecutionMirror } from './execution-mirror.ts';
export type { ExecutionFilter, ExecutionIndex, ExecutionPage } from './execution-index.ts';
export type {
  Backlog,
  ClaimNextOptions,
  ExecutionLeases,
  ExhaustedExecution,
  NextExecutions,
  Runner,
} from './execution-leases.ts';
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
} from './execution-log.ts';
export type { ExecutionStore } from './execution-store.ts';
export type { DriverLoad, ExecutionDriver, SignalOptions } from './execution-driver.ts';
export { defaultMaxTotal } from './execution-index.ts';
export type { Conversation, NewConversation } from './conversation.ts';
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
} from './conversation-store.ts';
export { containsText, searchedLogs, searchedText, searchedTraces } from './text-search.ts';
export { isExternalId, maxExternalIdLength } from './external-id.ts';
export { subjectForUser } from './subject-for-user.ts';
export { toUser } from './to-user.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { ApprovalStore, Clock, Ids, Logger, User } from './ports.ts';
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
} from './message.ts';
export type { Owner } from './owner.ts';
export type { HistogramValue, Metric, MetricPoint, MetricSource } from './metrics.ts';
export type { EventDelivery, NewPublishedEvent, Publication } from './published-event.ts';
export type { Job } from './job.ts';
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
} from './telemetry.ts';
export { isDevelopment, isProduction } from './environment.ts';
export { ForwardedLogger } from './forwarded-logger.ts';
export { silentLogger } from './silent-logger.ts';
export { cutText } from './cut-text.ts';
export { spanFailure } from './span-failure.ts';
export { type ErrorOutcome, outcomeOfError } from './error-outcome.ts';
export { toTraceStatus } from './trace-status.ts';
export { describedBy, describedSpan } from './described-span.ts';
export { type PlacedSpan, spansOfUser } from './spans-of-user.ts';
export type {
  LogFilter,
  RunFilter,
  TelemetryBatch,
  TelemetryPage,
  TelemetryStore,
  TraceFilter,
  TraceStatus,
  TraceSummary,
} from './telemetry-store.ts';
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
} from './telemetry-metrics.ts';
export type {
  AppendOutcome,
  BeginOutcome,
  LiveStream,
  NewStream,
  StreamAppend,
  StreamChunks,
  StreamKey,
  StreamStore,
} from './stream-store.ts';
export type {
  DeletedUserData,
  PoolConnections,
  Storage,
  StorageSize,
  TableSize,
  UserDataStore,
  UserRecord,
} from './storage.ts';
export type { MessageVector, VectorMatch, VectorQuery, VectorStore } from './vector-store.ts';
export type { WorkingMemoryKey, WorkingMemoryStore } from './working-memory-store.ts';
