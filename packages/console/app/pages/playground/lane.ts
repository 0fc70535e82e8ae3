import type { FileUIPart } from 'ai';
import type { AgentSummary } from '../agents/agents-query.ts';
import type { EventLog } from './event-log.ts';
import type { RunSettings } from './playground-search.ts';

/** The setup of a lane: an agent, with settings, for a user. */
export interface LaneSetup {
  readonly agent: AgentSummary;
  readonly settings: RunSettings;
  readonly conversationId: string;
  /** Undefined: the user of the token, or none. */
  readonly userId: string | undefined;
  /**
   * Whether the server remembers the conversation. Otherwise each request contains all messages.
   */
  readonly hasMemory: boolean;
  readonly log: EventLog;
}

/** The actions of the composer on a lane. */
export interface LaneHandle {
  readonly send: (text: string, files: readonly FileUIPart[]) => void;
  readonly stop: () => void;
}

/** The `options` of a request. */
export function optionsOf({ hasMemory, settings, userId }: LaneSetup): Record<string, unknown> {
  return { ...(userId !== undefined && { userId }), ...settings, ...(hasMemory && { resumable: true }) };
}
