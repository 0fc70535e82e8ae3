import type {
  AwaitedEvent,
  ExecutionIndex,
  ExecutionLog,
  JsonValue,
  StoredApprovalRules,
  StoredOnExpire,
  Suspension,
} from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { BeginOptions } from '../../engine/runtime-options.ts';
import type { ExecutionBus } from '../../follow/execution-bus.ts';
import type { WorkflowTraces } from '../../spans/workflow-traces.ts';
import type { CommitRetryOptions } from '../commits/commit-writer.ts';
import type { StartedSteps } from './started-steps.ts';
import type { StoreTime } from './store-time.ts';

/** The dependencies that all runs of one process share. */
export interface ExecutionRunOptions {
  readonly store: ExecutionLog & ExecutionIndex;
  readonly services: AgentServices;
  readonly bus: ExecutionBus;
  /** Undefined when tracing is off. */
  readonly traces: WorkflowTraces | undefined;
  /** 0 to 1: spreads the waits before retries. */
  readonly random: () => number;
  readonly commitRetry: CommitRetryOptions;
  /**
   * Called before anything is started: if the lease of the process has ended by its own clock, all
   * runs are lost.
   */
  readonly checkLease: () => void;
  readonly yieldToEventLoop: () => Promise<void>;
  readonly start: StartExecution;
  /**
   * After how many journal entries that are no longer needed a checkpoint is made, if this many
   * still are. Default: as many, and 100 at least.
   */
  readonly checkpointAfter?: ((needed: number) => number) | undefined;
  /**
   * Called with the milliseconds until it is due when a step starts to sleep, and when the
   * execution is released until some time.
   */
  readonly onSleep: (dueInMs: number) => void;
}

/**
 * Starts an execution of its own. A repeated call with the same id starts nothing. @throws
 * InvalidInputError
 */
export type StartExecution = (
  workflowId: string,
  executionId: string,
  input: JsonValue,
  options: Omit<BeginOptions, 'executionId'>,
) => Promise<void>;

/** The needs of one run besides the claimed execution. */
export interface ClaimContext {
  readonly startedSteps: StartedSteps;
  readonly storeTime: StoreTime;
}

/** The arguments of a step's suspension. */
export interface SuspendOptions {
  readonly kind: Suspension['kind'];
  readonly reason: string;
  readonly data?: JsonValue | undefined;
  /** Default: the path of the step. */
  readonly path?: string | undefined;
  /** With the kind `event`. */
  readonly event?: AwaitedEvent | undefined;
  /** When nobody has responded after this time, the wait ends. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** What happens then. */
  readonly onExpire?: StoredOnExpire | undefined;
  /** Who may respond. Default: the user of the execution. */
  readonly rules?: StoredApprovalRules | undefined;
}
