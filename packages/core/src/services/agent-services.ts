import type { Clock, Ids, Logger, Recorder } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import type { Approvals } from './approvals.ts';

/** What a run needs from its surroundings: the server brings its own, a script gets defaults. */
export interface AgentServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly approvals: Approvals;
  /** Absent: nothing is recorded. */
  readonly recorder?: Recorder;
  /** Of agents that say nothing of a memory. */
  readonly memory?: Memory;
  /** Fetches a file that a message points to; see the address rules in `model/file-download.ts`. */
  readonly downloadFile: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly data: Uint8Array; readonly mediaType: string | undefined }>;
}
