import type { EngineStorage, Owner, SpanContext, Storage, User } from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import type { ExecutionQueueOptions } from './driver/queue-options.ts';

export interface WorkflowRuntimeOptions {
  readonly workflows: readonly WorkflowDefinition[];
  /** With an engine, what its `open` returns. */
  readonly storage: Pick<Storage, 'executions'> | Pick<EngineStorage, 'executions'>;
  /**
   * The services of steps and their agents. Default: the system clock, random ids, logging to the
   * console.
   */
  readonly services?: Partial<AgentServices> | undefined;
  /**
   * How many executions run in this process at a time, and how many of a subject may wait. Default:
   * 256, and 10 000.
   */
  readonly queue?: ExecutionQueueOptions | undefined;
  /**
   * Duration of a lease in milliseconds; default 10 000. After a crash another process takes over
   * within the lease + a third of it + 1 s; earlier if the storage notices the crash.
   */
  readonly leaseMs?: number | undefined;
}

/** The caller of a start, and everything besides the input. */
export interface StartOptions {
  /** Default: a new one. */
  readonly executionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Available to every step. JSON. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** The initial state that steps share. */
  readonly workflowState?: object | undefined;
  /** Stored with the execution; lists can be filtered by it. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The verified user. Steps receive a snapshot. */
  readonly user?: User | undefined;
  /** The span of the calling service: `traceparent` of a request. */
  readonly traceParent?: SpanContext | undefined;
  /**
   * On whose behalf it runs: subjects take turns and share the slots of a process. Stored with the
   * execution. Default: the user, `user:` and its id; without a user it is the app's own work.
   */
  readonly subject?: string | undefined;
  /**
   * Waiting executions with the highest priority start first. An integer from -1000 to 1000;
   * default: the workflow's.
   */
  readonly priority?: number | undefined;
  /**
   * Starts the execution after this delay, in any process. Until then its status is `running`, and
   * it can be cancelled. Default: 0.
   */
  readonly startAfterMs?: number | undefined;
}

export interface BeginOptions extends Omit<StartOptions, 'traceParent'> {
  /** The span around it. Null: it starts a trace. Default: the active span. */
  readonly traceParent?: SpanContext | null | undefined;
  /** It continues an execution that is about to end, so it starts in any case. */
  readonly isContinuation?: boolean | undefined;
}

/** Identifies an execution for a caller. */
export interface ExecutionKey {
  readonly owner: Owner;
  readonly workflowId: string;
  readonly executionId: string;
}

/**
 * The caller of an operation that lets steps run again. `operator`: the app itself, or a person who
 * runs it. `user`: only the operations that the option `users` of the workflow allows.
 */
export type Requester = 'operator' | 'user';

export interface ResumeOptions {
  readonly resumeData?: unknown;
  /**
   * The suspension to resume, as results, states and events name it. Required for an approval, and
   * for a step that has asked before. Default: the suspension that `stepId` names.
   */
  readonly suspensionId?: string | undefined;
  /**
   * The step of a pending suspension, the `approvalId` of a call, or an earlier step to rewind to.
   * Default: the earliest suspension.
   */
  readonly stepId?: string | undefined;
  /**
   * Gives the steps that a rewind repeats new idempotency keys, so that they have their effects
   * again. Default: false. Not for users.
   */
  readonly newIdempotencyKeys?: boolean | undefined;
  readonly resumedBy?: string | undefined;
  /** Default: `operator`. */
  readonly requestedBy?: Requester | undefined;
  /**
   * Refuses `resumeData` for a suspension from outside of an execution that belongs to a user, who
   * may have written the reason that was shown instead of a question. The server sets it for
   * requests with the console key. Default: false.
   */
  readonly onlyToQuestions?: boolean | undefined;
  /**
   * The verified user of the request. After a rewind, steps receive this user; default, and for a
   * request by an `operator`: the one of before.
   */
  readonly user?: User | undefined;
  /** The span of the calling service. The span of the next run links to it. */
  readonly traceParent?: SpanContext | undefined;
}

export interface RetryOptions extends Pick<ResumeOptions, 'traceParent' | 'requestedBy' | 'user'> {}

export interface ReplayOptions extends Pick<ResumeOptions, 'requestedBy' | 'user'> {
  readonly stepId: string;
  /** The resume data of that step. */
  readonly resumeData?: unknown;
  /** The id of the verified user who sent that data. */
  readonly resumedBy?: string | undefined;
  /**
   * Replaces the output of the top-level step before it, at the first step the input, and must fit
   * its schema.
   */
  readonly inputData?: unknown;
}

export interface WaitOptions {
  /**
   * `idle`: until the execution has ended or is suspended. `ended`: until it has ended, and if it
   * continues as a new one, until that has ended; the result is then that of the last one. Default:
   * `idle`.
   */
  readonly until?: 'idle' | 'ended' | undefined;
  /** The longest wait, in milliseconds; default: unlimited. */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends the wait when it is aborted: the result is then the state of the execution at that moment.
   */
  readonly signal?: AbortSignal | undefined;
}
