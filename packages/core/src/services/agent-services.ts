import type { Clock, Ids, Logger, Recorder } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import type { Approvals } from './approvals.ts';

/** The dependencies of a run. The server passes its own; a script uses defaults. */
export interface AgentServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly approvals: Approvals;
  /** Absent: nothing is recorded. */
  readonly recorder?: Recorder;
  /** The memory of agents that do not set one. */
  readonly memory?: Memory;
  /** Owns the conversations of runs without a user. Absent: those runs read and write no conversation. Tools and approvals get no user in either case. */
  readonly anonymousUserId?: string;
  /** How long a run waits while its conversation is being answered. Default: 60 s. */
  readonly busyWaitMs?: number;
  /** How long the conversation of a process that died counts as being answered. Default: 10 s. */
  readonly leaseMs?: number;
  /** Fetches a file that a message points to; see the address rules in `file-download.ts`. */
  readonly downloadFile: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly data: Uint8Array; readonly mediaType: string | undefined }>;
}
