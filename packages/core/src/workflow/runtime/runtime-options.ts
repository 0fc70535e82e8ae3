import type { Owner, SpanContext, Storage, User, WorkQueue } from '@halyard/contracts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';

export interface WorkflowRuntimeOptions {
  readonly workflows: readonly WorkflowDefinition[];
  readonly storage: Pick<Storage, 'executions'>;
  /** What steps and their agents use; default: the clock of the system, random ids, the console. */
  readonly services?: Partial<AgentServices>;
  /** Decides when executions run; default: in this process, 256 at a time. */
  readonly queue?: WorkQueue;
  /** How long a process that died keeps what it ran; default 10 000. Another takes over a third of it later, and a second. */
  readonly leaseMs?: number;
}

/** Whom a run is for, and what it is given besides its input. */
export interface StartOptions {
  /** Default: a new one. */
  readonly executionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Reaches every step. JSON. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** The state that steps share, as it is at first. */
  readonly workflowState?: object | undefined;
  /** Stored with the execution; lists can be filtered by it. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The verified user; a snapshot is kept for steps. */
  readonly user?: User | undefined;
  /** The span of another service that asked for this: `traceparent` of a request. */
  readonly traceParent?: SpanContext | undefined;
  /** Of executions that wait for a place, the highest begins first: whole, -1000 to 1000. Default: its workflow's. */
  readonly priority?: number | undefined;
  /** It begins this much later, whichever processes are there then. Until then it is `running`, and can be cancelled. Default: at once. */
  readonly startAfterMs?: number | undefined;
}

/** An execution as a caller names it. */
export interface ExecutionKey {
  readonly owner: Owner;
  readonly workflowId: string;
  readonly executionId: string;
}

export interface ResumeOptions {
  readonly resumeData?: unknown;
  /** A pending suspension's step, or an earlier step to go back to; default: the earliest suspension. */
  readonly stepId?: string | undefined;
  readonly resumedBy?: string | undefined;
  /** The span of another service that asked for this: what goes on links to it. */
  readonly traceParent?: SpanContext | undefined;
}

export interface ReplayOptions {
  readonly stepId: string;
  /** What that step is resumed with. */
  readonly resumeData?: unknown;
  /** What its top-level step is given instead of what the one before gave. */
  readonly inputData?: unknown;
}

export interface WaitOptions {
  /** Gives up after this long; default: never. */
  readonly timeoutMs?: number;
  /** Ends the wait when it is aborted: the result is then the state of the execution at that moment. */
  readonly signal?: AbortSignal;
}
