import type { StoredApprovalRules, StoredOnExpire } from '../approvals/approval-rules.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/**
 * `running` includes executions that sleep or wait for a free slot; `suspended` executions wait for
 * resume data.
 */
export type ExecutionStatus = 'running' | 'suspended' | 'completed' | 'error' | 'cancelled';

/** An error that clients may read: without stack, and without messages of drivers or providers. */
export interface ExecutionError {
  readonly message: string;
  /** The instance id of the step that failed. */
  readonly stepId?: string;
  /** A stable error code, as in `x-error-code`. */
  readonly code?: string;
}

/** A wait of an execution for resume data. */
export interface Suspension {
  /**
   * No other suspension of the execution has it, nor one of another execution that had the same id.
   * A step that suspends again gets another id.
   */
  readonly id: string;
  /** Its place in the tree of steps. */
  readonly path: string;
  /** The instance id of the step, as in events: `approve`, in a loop `approve:3`. */
  readonly stepId: string;
  /** Position of the top-level step, in its workflow, that contains it. */
  readonly stepIndex: number;
  /** The execution of the sub-workflow that waits, or the root's own id. */
  readonly executionId: string;
  /**
   * `approval`: a tool call of an agent waits for approval. `request`: the execution was suspended
   * from outside. `event`: it waits for `event`, and a published event resumes it.
   */
  readonly kind: 'step' | 'approval' | 'request' | 'event';
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly suspendedAt: number;
  /** Data of the step for the person or system that responds. */
  readonly data?: JsonValue;
  /** The event that it waits for, with the kind `event`. */
  readonly event?: AwaitedEvent;
  /** Who may respond. Default: the user of the execution. */
  readonly rules?: StoredApprovalRules;
  /** What happens when its time limit ends. Default: a step fails, and an approval is denied. */
  readonly onExpire?: StoredOnExpire;
  /** The step asks again: it did not accept the last resume data, or had another question. */
  readonly isRepeated?: true;
}

/**
 * Which events a suspension waits for: those with this name and exactly this key. Null: those
 * without a key.
 */
export interface AwaitedEvent {
  readonly name: string;
  readonly key: string | null;
  /**
   * `owner`: also events that the user of the execution has published. Default: only those of
   * `anyone`, that is of the app and its operators.
   */
  readonly from?: 'owner';
}

/** Resume data that its step has not consumed yet. */
export interface Resumption {
  readonly path: string;
  /** The suspension that was resumed; `''` for data that a rewind passes to its first step. */
  readonly suspensionId: string;
  readonly data: JsonValue;
  readonly resumedBy?: string;
  /** Nobody has responded: the time limit is over. With data, the step asks again. */
  readonly isTimeout?: true;
  /** Nobody has responded: the time limit has, with this data. */
  readonly isExpired?: true;
}

/**
 * A point in time that a step waits for: the end of a sleep, the next attempt after a failure, or
 * the time limit of a suspension.
 */
export interface Timer {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly wakeAt: number;
  /** For a retry: how many attempts have failed. */
  readonly attempts?: number;
}

/**
 * A request to suspend or cancel an execution from outside, until its runner has carried it out.
 */
export interface ExecutionRequest {
  readonly kind: 'suspend' | 'cancel';
  readonly reason: string;
}

/**
 * A finished step instance. A path that is in the journal is never run again; its recorded output
 * is used.
 *
 * A path consists of step ids (`price`, `checks/stock`, `lines:3/approve` for item 3). A `#`
 * introduces a decision of the step (`big#condition`) or a call of its agent
 * (`thank#step-0/model`). The grammar and all decisions are in
 * `packages/core/src/workflow/definition/place.ts`.
 */
export interface JournalEntry {
  readonly path: string;
  /**
   * The type of the step or decision. The journal only fits a tree that has the same type there.
   */
  readonly type: string;
  readonly status: 'success' | 'skipped' | 'error';
  /** JSON; null for an error. */
  readonly output: JsonValue;
  readonly error?: ExecutionError;
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** An event before it is stored. The store numbers it in the commit. */
export interface NewExecutionEvent {
  readonly type: string;
  /** The step instance, or the workflow for `workflow-*`. */
  readonly from: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly [field: string]: JsonValue;
}

export interface ExecutionEvent {
  /** From 1, without gaps in one execution. */
  readonly seq: number;
  readonly event: NewExecutionEvent;
}

/** How many executions with the same key run at the same time. */
export interface ConcurrencyLimit {
  readonly key: string;
  /** At least 1. */
  readonly limit: number;
}

/** The start of an execution. Values are JSON. */
export interface NewExecution {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly input: JsonValue;
  readonly context: JsonObject;
  readonly workflowState: JsonObject;
  readonly metadata: JsonObject;
  readonly userId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** A snapshot of the verified user who started it. */
  readonly user?: JsonObject | undefined;
  readonly events: readonly NewExecutionEvent[];
}

/** The row of an execution. Times are milliseconds since the epoch, by the store's clock. */
export interface Execution extends Omit<NewExecution, 'events'> {
  /**
   * Another one for each execution that ever gets this id, which may be used again after a
   * deletion: the `requestId` with which a root was created, the id of a sub-workflow.
   */
  readonly creationId: string;
  readonly status: ExecutionStatus;
  /** Names the steps of the workflow with which it runs; `''` for a sub-workflow. */
  readonly definition: string;
  /**
   * Of the executions that are due, those with the highest priority are handed out first. 0 for a
   * sub-workflow.
   */
  readonly priority: number;
  /** Null: no limit, as for each sub-workflow. */
  readonly concurrency: ConcurrencyLimit | null;
  /** Since when it has waited because of its `concurrency`; null unless it does. */
  readonly waitingSince: number | null;
  /** When it was quarantined, because no process could run it; null unless it still is. */
  readonly quarantinedAt: number | null;
  /** The execution whose sub-workflow this is; null for a root. */
  readonly parentExecutionId: string | null;
  /** The root of the tree. Its runner also runs the sub-workflows. */
  readonly rootExecutionId: string;
  /** The path, in the root's journal, of the step that runs this sub-workflow; `''` for a root. */
  readonly path: string;
  readonly output?: JsonValue;
  readonly error?: ExecutionError;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** Number of the last event. */
  readonly seq: number;
  /**
   * Pending suspensions, the earliest first. A root has those of the whole tree, a sub-workflow
   * those below its path.
   */
  readonly suspensions: readonly Suspension[];
  readonly resumptions: readonly Resumption[];
  readonly timers: readonly Timer[];
  readonly request: ExecutionRequest | null;
  /** All rewinds so far. How many of them gave a step a new idempotency key is part of the key. */
  readonly rewinds: readonly Rewind[];
  /** Increases with each resumption, request and rewind. */
  readonly signals: number;
  /** Increases with each claim, rewind, quarantine and termination. */
  readonly epoch: number;
  /**
   * The runner that has claimed it. When its lease has run out, it stays set until another process
   * takes the execution. Null without a runner.
   */
  readonly runner: string | null;
}

/** A rewind: the steps at these paths and below them run again. */
export interface Rewind {
  readonly paths: readonly string[];
  /** Of these, the paths at and below which steps get new idempotency keys. Default: all. */
  readonly newKeys?: readonly string[];
  /** Number of the last event before it. */
  readonly seq: number;
}
