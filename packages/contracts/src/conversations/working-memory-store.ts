import type { JsonValue } from '../json.ts';
import type { Owner } from '../users/owner.ts';

/** Names a working memory: that of one conversation, or that of a user in all conversations. */
export type WorkingMemoryKey =
  | { readonly scope: 'conversation'; readonly conversationId: string }
  | { readonly scope: 'user'; readonly userId: string };

/**
 * The working memory of agents: one text or JSON object for each conversation or user. That of a
 * conversation is deleted with the conversation. A conversation or user of another owner is treated
 * as unknown.
 */
export interface WorkingMemoryStore {
  /** @returns undefined when nothing is stored. */
  read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined>;

  /**
   * Replaces the stored content by the result of `change`; undefined deletes it. Concurrent calls
   * run one after the other. An error of `change` is thrown, and nothing is written. `change` may
   * be called again after a concurrent write, so it must have no side effects.
   *
   * @returns whether it was written: false for a conversation that does not exist, and for a key of
   * another owner.
   */
  update(
    owner: Owner,
    key: WorkingMemoryKey,
    change: (content: JsonValue | undefined) => JsonValue | undefined,
  ): Promise<boolean>;
}
