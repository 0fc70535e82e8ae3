import type { Clock, Ids, Logger, Recorder, User } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import type { RunMetrics } from '../telemetry/run-metrics.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { ExpiringRequest } from './approvals/expiring-request.ts';

/**
 * Applies to the input, the context, the metadata and the state of an execution, to the output of a
 * step, and to the data of a suspension.
 */
export const defaultExecutionValueBytes: number = 4 * 1024 * 1024;

/** A request of an execution whose time limit has ended. */
export interface ExpiredRequest {
  readonly workflowId: string;
  readonly executionId: string;
  /** As lists of approvals name it. */
  readonly approvalId: string;
  readonly outcome: 'deny' | 'continue' | 'ask-again' | 'fail';
}

/** A call that would have waited for a person, if its tool did not use the shadow mode. */
export interface ShadowedCall {
  readonly agentId: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly executionId: string | undefined;
  /** The people whom the rules of the call name. Undefined: the user of the run. */
  readonly approvers: readonly string[] | undefined;
}

/** The dependencies of a run. The server passes its own; a script uses defaults. */
export interface AgentServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly approvals: Approvals;
  /** Records that nobody has responded to a request in time, before `act` ends its wait. */
  readonly recordExpiry?: (expired: ExpiredRequest, act: () => Promise<void>) => Promise<void>;
  /**
   * Ends a request in a conversation at its time limit, also if this process ends before. Absent:
   * later responses are refused, and nothing else happens.
   */
  readonly expireApproval?: (
    request: ExpiringRequest,
    asked: {
      readonly conversationId: string;
      readonly userId: string | undefined;
      readonly user: User | undefined;
    },
  ) => Promise<void>;
  /** Records a call of a tool in shadow mode, before it runs. */
  readonly recordShadow?: (call: ShadowedCall) => Promise<void>;
  /** Absent: nothing is recorded. */
  readonly recorder?: Recorder;
  /** Absent: nothing is counted. */
  readonly metrics?: RunMetrics;
  /** The memory of agents that do not set one. */
  readonly memory?: Memory;
  /**
   * Owns the conversations of runs without a user. Absent: those runs read and write no
   * conversation. Tools and approvals get no user in either case.
   */
  readonly anonymousUserId?: string;
  /** How long a run waits while its conversation has a run. Default: 60 s. */
  readonly busyWaitMs?: number;
  /** How long the conversation of a process that died counts as busy. Default: 10 s. */
  readonly leaseMs?: number;
  /**
   * The maximum size of a value that an execution stores, in bytes of JSON: see {@link
   * defaultExecutionValueBytes}.
   */
  readonly executionValueBytes?: number;
  /** Fetches a file that a message points to; see the address rules in `file-download.ts`. */
  readonly downloadFile: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly data: Uint8Array; readonly mediaType: string | undefined }>;
}
