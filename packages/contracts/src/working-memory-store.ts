import type { JsonValue } from './json.ts';
import type { Owner } from './owner.ts';

/** Whose working memory: that of one conversation, or of a user in all of them. */
export type WorkingMemoryKey =
  | { readonly scope: 'conversation'; readonly conversationId: string }
  | { readonly scope: 'user'; readonly userId: string };

/**
 * What agents note down: one text or JSON object for each conversation or user. That of a conversation goes with the conversation; one that is not the
 * owner's is answered like one that is not there.
 */
export interface WorkingMemoryStore {
  /** @returns undefined when nothing is stored. */
  read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined>;

  /**
   * Replaces what is stored by what `change` makes of it; undefined clears it. Of calls at the same time, each sees what the one before it wrote. What
   * `change` throws is thrown, and nothing is written. `change` may be called again when somebody else wrote in between.
   *
   * @returns whether it was written: not for a conversation that is not there, or another owner's key.
   */
  update(
    owner: Owner,
    key: WorkingMemoryKey,
    change: (content: JsonValue | undefined) => JsonValue | undefined,
  ): Promise<boolean>;
}
