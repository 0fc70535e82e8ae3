import type { Logger, StoredMessage } from '@halyard/contracts';
import type { RecallSettings } from './memory-settings.ts';

/** What a run wants to be reminded of. */
export interface RecallRequest {
  /** What the user says now. */
  readonly text: string;
  readonly conversationId: string;
  readonly userId: string;
  /** The stored messages that the run sees anyway, oldest first. */
  readonly window: readonly StoredMessage[];
  /** Whether the conversation has messages before the window. */
  readonly hasOlder: boolean;
  /** Messages of the conversation that must not be recalled, beside those of the window: what the run writes itself. */
  readonly exclude?: readonly string[];
  /** The memory's, with what the request says. */
  readonly settings: RecallSettings;
  readonly logger: Logger;
}
