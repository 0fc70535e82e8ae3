export {
  AbortedError,
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
  NotFoundError,
  NotSuspendedError,
  ObjectNotGeneratedError,
  StepFailedError,
  TimeLimitError,
  ToolFailedError,
  UnavailableError,
} from './errors.ts';
export type {
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
export type {
  ClaimedExecution,
  Commit,
  CommitOutcome,
  CreateOptions,
  ExecutionChange,
  ExecutionFilter,
  ExecutionStore,
  Lease,
  Release,
  ResumeRequest,
  RewindRequest,
} from './execution-store.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { ApprovalStore, Clock, Ids, Logger, Storage, User } from './ports.ts';
export type { Owner } from './owner.ts';
export type { Job, WorkQueue } from './work-queue.ts';
