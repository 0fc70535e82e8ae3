import type { Logger, Message } from '@halyard/contracts';
import type { ResolvedModel } from '../../model/model-port.ts';

/** What one run of an agent wrote into a conversation. */
export interface FinishedTurn {
  readonly conversationId: string;
  /** Whether the run made the conversation. */
  readonly isNew: boolean;
  /** The messages that it wrote or changed, as they are stored now. */
  readonly messages: readonly Message[];
  /** Ids of messages that it deleted. */
  readonly dropped: readonly string[];
  /** Of the agent, in the order they are tried. */
  readonly models: readonly ResolvedModel[];
  readonly logger: Logger;
}
