import type { AgentServices, Registry } from '@halyard/core';
import type { Storage } from '@halyard/contracts';

/** What handlers may use. */
export interface Services {
  readonly registry: Registry;
  readonly storage: Storage;
  /** What agent runs and tool calls of this server use: its clock, ids, logger and approvals. */
  readonly run: AgentServices;
  /** Whether the server has stopped taking work. */
  readonly isDraining: () => boolean;
}
