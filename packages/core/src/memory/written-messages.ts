import type { Logger, Message } from '@halyard/contracts';
import type { ResolvedModel } from '../model/providers/model-port.ts';

/** The messages that one run has written into a conversation. */
export interface WrittenMessages {
  readonly conversationId: string;
  /** The user of the run, who owns a conversation that it created. */
  readonly userId: string;
  /** Whether it is the first turn of the conversation. */
  readonly isFirst: boolean;
  /** The written messages as they are stored now. */
  readonly messages: readonly Message[];
  /** Ids of deleted messages. */
  readonly dropped: readonly string[];
  /** The models of the agent, in the order in which they are tried. */
  readonly models: readonly ResolvedModel[];
  readonly logger: Logger;
}
