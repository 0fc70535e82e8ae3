import type { JsonObject, JsonValue } from './json.ts';

/** Where an execution stands. `running` is also one that sleeps or waits for a free slot; `suspended` waits for somebody. */
export type ExecutionStatus = 'running' | 'suspended' | 'completed' | 'error' | 'cancelled';

/** What went wrong, as clients may read it: no stack, no text of drivers or providers. */
export interface ExecutionError {
  readonly message: string;
  /** The step that failed, as events name it. */
  readonly stepId?: string;
  /** Stable, as in `x-error-code`. */
  readonly code?: string;
}

/** Something that an execution cannot go on without: somebody's answer. */
export interface Suspension {
  /** Unique in its execution: a step that suspends again gets another one. */
  readonly id: string;
  /** Where in the tree of steps it waits. */
  readonly path: string;
  /** The step as events name it: `approve`, in a loop `approve:3`. */
  readonly stepId: string;
  /** Position of the top-level step of its workflow that it is in. */
  readonly stepIndex: number;
  /** The sub-workflow's execution that waits; the root's own id where none does. */
  readonly executionId: string;
  /** `approval`: a tool call of an agent waits for a yes or no. `request`: somebody suspended the run from outside. */
  readonly kind: 'step' | 'approval' | 'request';
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly suspendedAt: number;
  /** What the step tells whoever answers. */
  readonly data?: JsonValue;
}

/** An answer to a suspension that its step has not used up yet. */
export interface Resumption {
  readonly path: string;
  /** The suspension that was answered; `''` for what a rewind gives its first step. */
  readonly suspensionId: string;
  readonly data: JsonValue;
  readonly resumedBy?: string;
}

/** A point in time that a step waits for: a sleep, or the next attempt of a step that failed. */
export interface Timer {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly wakeAt: number;
  /** For a retry: how many attempts have failed. */
  readonly attempts?: number;
}

/** What somebody asked of an execution from outside, until its runner has done it. */
export interface ExecutionRequest {
  readonly kind: 'suspend' | 'cancel';
  readonly reason: string;
}

/**
 * A finished step instance. A path that is in the journal is never run again: its output is read.
 *
 * A path is made of step ids (`price`, `checks/stock`, `lines:3/approve` for item 3); what follows a `#` is a decision of that
 * step (`big#condition`) or a call of its agent (`thank#step-0/model`).
 */
export interface JournalEntry {
  readonly path: string;
  /** Type of the step, or of the decision: a tree that no longer has it there does not fit. */
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

/** An event as it is written; the store numbers it when it commits. */
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

/** What is known of an execution when it begins. Values are JSON. */
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
  /** Snapshot of the verified user who started it. */
  readonly user?: JsonObject | undefined;
  readonly events: readonly NewExecutionEvent[];
}

/** The row of an execution. Times are milliseconds since the epoch, by the store's clock. */
export interface Execution extends Omit<NewExecution, 'events'> {
  readonly status: ExecutionStatus;
  /** The execution whose sub-workflow this is; null for a root. */
  readonly parentExecutionId: string | null;
  /** The root of the tree: whoever runs it runs its sub-workflows. */
  readonly rootExecutionId: string;
  /** Where in the root's journal a sub-workflow's steps are: the path of its step; `''` for a root. */
  readonly path: string;
  readonly output?: JsonValue;
  readonly error?: ExecutionError;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** Number of the last event. */
  readonly seq: number;
  /** Pending ones, the earliest first. A root's are those of the whole tree, a sub-workflow's those below its path. */
  readonly suspensions: readonly Suspension[];
  readonly resumptions: readonly Resumption[];
  readonly timers: readonly Timer[];
  readonly request: ExecutionRequest | null;
  /** How often each part of the tree was rewound, and up to which event: part of idempotency keys. */
  readonly rewinds: readonly Rewind[];
  /** Grows with each resumption, request and rewind. */
  readonly signals: number;
  /** Grows with each claim and rewind. */
  readonly epoch: number;
  /** The runner that holds it; null when nobody does. */
  readonly runner: string | null;
}

/** A rewind: steps at these paths, and below them, run again. */
export interface Rewind {
  readonly paths: readonly string[];
  /** Number of the last event before it. */
  readonly seq: number;
}
